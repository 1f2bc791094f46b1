// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.bridge;

import io.reactivenetio.api.Tags;
import io.reactivenetio.kafka.NetioKafkaSink;
import io.reactivenetio.kafka.NetioKafkaSource;
import io.reactivenetio.pubsub.NetioPublisher;
import io.reactivenetio.pubsub.NetioSubscriber;
import java.time.Duration;
import reactor.core.publisher.Mono;

/** What the documents show about Kafka. */
final class Bridging {
    private Bridging() {
    }

    static Mono<Void> keep(NetioSubscriber detector, String brokers) {
        return NetioKafkaSink.create(brokers).topic("run-7")
                .sendFrom(detector, Tags.range(10, 19)) // goes on behind what the topic has already
                .then();
    }

    static NetioPublisher replay(String brokers) {
        return NetioPublisher.create().publish(Tags.range(10, 19), NetioKafkaSource.create(brokers).topics("run-7")
                .toPresentEnd().atSpeed(2) // twice as fast as it was written
                .messages());
    }

    static Mono<Void> keepInTransactions(NetioSubscriber detector, String brokers) {
        return NetioKafkaSink.create(brokers).topic("run-7")
                .transactional("run-7-writer", 1_000, Duration.ofMillis(500))
                .send(detector.subscribeSequenced(Tags.range(10, 19)))
                .then();
    }
}
