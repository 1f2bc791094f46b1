// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.sample;

import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.spring.NetioClients;
import io.reactivenetio.spring.NetioPublisherCustomizer;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import reactor.core.publisher.Flux;

/** An application to be started in a process of its own. Which of its beans there are is told by properties. */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
public class SampleApplication {

    /** Started with properties as arguments. */
    public static void main(String[] args) {
        SpringApplication.run(SampleApplication.class, args);
    }

    @Bean
    @ConditionalOnProperty("sample.publish")
    NetioPublisherCustomizer events() {
        return publisher -> publisher.publish(7, Flux.range(0, 1_000).map(n -> StandardCharsets.UTF_8.encode("event " + n)));
    }

    /** Reads from the client of the name that the property has, says what it got, and ends the application. */
    @Bean
    @ConditionalOnProperty("sample.read")
    ApplicationRunner reading(NetioClients clients, ConfigurableApplicationContext context) {
        return arguments -> {
            String client = context.getEnvironment().getRequiredProperty("sample.read");
            ByteBuffer first = clients.subscriber(client).subscribe(7).blockFirst(Duration.ofSeconds(20)).payload();
            System.out.println("got " + StandardCharsets.UTF_8.decode(first));
            SpringApplication.exit(context);
        };
    }

    /** Connects while the application starts. */
    @Bean
    @ConditionalOnProperty("sample.connect")
    NetioConnection connection(NetioClients clients) {
        return clients.client("").connectNow();
    }

    /** Asks for a client that nobody has configured. */
    @Bean
    @ConditionalOnProperty("sample.misspell")
    Object misspelt(NetioClients clients) {
        return clients.subscriber("detektor");
    }
}
