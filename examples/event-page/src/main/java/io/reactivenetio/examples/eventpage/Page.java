// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.eventpage;

import io.reactivenetio.kafka.NetioKafkaSource;
import java.time.Duration;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.web.server.context.WebServerInitializedEvent;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Sinks;
import reactor.util.retry.Retry;

/** Reads the topic, and sends samples of it to browsers as server-sent events. The page itself is in resources/static. */
@RestController
class Page implements DisposableBean {
    private static final Duration PERIOD = Duration.ofMillis(500);
    private static final Duration PAUSE = Duration.ofSeconds(1);
    private static final double NANOS = 1e9;

    private final NetioKafkaSource source;
    private final Disposable reading;
    private final Sinks.Empty<Void> closing = Sinks.empty();
    private volatile Tally tally = new Tally();
    private volatile String problem = "";

    /** A source that has failed is read again from the beginning, so that nothing is counted twice. */
    Page(@Value("${events.brokers}") String brokers, @Value("${events.topic}") String topic) {
        source = NetioKafkaSource.create(brokers).topics(topic).timeout(Duration.ofSeconds(5));
        reading = Flux.defer(() -> {
            Tally fresh = new Tally();
            tally = fresh;
            return source.records().doOnNext(one -> {
                problem = "";
                fresh.add(one.value());
            });
        }).doOnError(failure -> problem = String.valueOf(failure.getMessage()))
                .retryWhen(Retry.fixedDelay(Long.MAX_VALUE, PAUSE)).subscribe();
    }

    Sample sample() {
        return tally.sample(System.nanoTime() / NANOS, source.statistics().lag(), problem);
    }

    /** A browser that is slow misses samples. */
    @GetMapping(path = "/samples", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
    Flux<Sample> samples() {
        return Flux.interval(Duration.ZERO, PERIOD).onBackpressureDrop().map(tick -> sample())
                .takeUntilOther(closing.asMono());
    }

    @EventListener
    @SuppressWarnings("SystemOut") // that is what it is for
    void started(WebServerInitializedEvent event) {
        System.out.println("the page is at http://127.0.0.1:" + event.getWebServer().getPort() + "/, Ctrl-C ends it");
    }

    @EventListener(ContextClosedEvent.class)
    void letGo() {
        closing.tryEmitEmpty();
    }

    @Override
    public void destroy() {
        reading.dispose();
    }
}
