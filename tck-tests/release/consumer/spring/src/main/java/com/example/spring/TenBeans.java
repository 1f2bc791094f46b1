// SPDX-License-Identifier: Apache-2.0
package com.example.spring;

import io.reactivenetio.pubsub.NetioPublisher;
import io.reactivenetio.spring.NetioClients;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.stream.LongStream;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.CommandLineRunner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import reactor.core.publisher.Flux;

/** Publishes ten messages in an application of Spring Boot, and fails unless its client receives them. */
@SpringBootApplication
public class TenBeans implements CommandLineRunner {
    private static final int TAG = 7;
    private final NetioClients clients;
    private final String backend;

    TenBeans(NetioClients clients, NetioPublisher publisher, @Value("${netio.backend}") String backend) {
        this.clients = clients;
        this.backend = backend;
        publisher.publish(TAG, Flux.range(1, 10).map(i -> ByteBuffer.allocate(Long.BYTES).putLong(0, i)));
    }

    @Override
    public void run(String... args) {
        List<Long> arrived = clients.subscriber("detector").subscribe(TAG).map(message -> message.payload().getLong())
                .take(10).collectList().block(Duration.ofSeconds(10));
        if (!LongStream.rangeClosed(1, 10).boxed().toList().equals(arrived)) {
            throw new IllegalStateException("received " + arrived);
        }
        System.out.println("ten messages over " + backend + " with Spring Boot");
    }

    /** The arguments are properties. */
    public static void main(String[] args) {
        System.exit(SpringApplication.exit(SpringApplication.run(TenBeans.class, args)));
    }
}
