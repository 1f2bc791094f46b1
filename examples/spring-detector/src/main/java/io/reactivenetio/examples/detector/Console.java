// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.detector;

import io.reactivenetio.examples.detector.Sample.Consumer;
import jakarta.annotation.PreDestroy;
import org.springframework.boot.web.server.context.WebServerInitializedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.core.env.Environment;
import org.springframework.stereotype.Component;

/** Says where the page is, and at the end how it went. */
@Component
@SuppressWarnings("SystemOut") // that is what it is for
final class Console {
    private final Sampler sampler;
    private final Environment environment;

    Console(Sampler sampler, Environment environment) {
        this.sampler = sampler;
        this.environment = environment;
    }

    @EventListener
    void started(WebServerInitializedEvent event) {
        String address = environment.getRequiredProperty("server.address");
        System.out.println("the page is at http://" + (address.contains(":") ? "[" + address + "]" : address) + ":"
                + event.getWebServer().getPort() + "/, Ctrl-C ends it");
    }

    @PreDestroy
    void ended() {
        Sample last = sampler.sample();
        System.out.printf("%n%,d events, %,d of them incomplete; %,d triggers vetoed%n",
                last.events().complete() + last.events().incomplete(), last.events().incomplete(), last.source().vetoed());
        for (Consumer consumer : last.consumers()) {
            System.out.printf("%s: received %,d, dropped %,d, missed %,d, connected %d times%n", consumer.name(),
                    consumer.received(), consumer.dropped(), consumer.missed(), consumer.connected());
        }
    }
}
