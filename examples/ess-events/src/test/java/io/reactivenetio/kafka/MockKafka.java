// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.kafka;

import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Kafka's own mock in place of a broker. It stands in this package because only the library's tests may replace clients. */
public final class MockKafka {
    /** What was written. */
    public final MockProducer<byte[], byte[]> producer =
            new MockProducer<>(true, null, new ByteArraySerializer(), new ByteArraySerializer());

    /** A sink that writes to it. */
    public NetioKafkaSink sink(String topic) {
        return NetioKafkaSink.create("none:1").clients(new KafkaClients() {
            @Override
            public Producer<byte[], byte[]> producer(Map<String, Object> settings) {
                return producer;
            }

            @Override
            public Consumer<byte[], byte[]> consumer(Map<String, Object> settings) {
                throw new UnsupportedOperationException("a sink reads nothing here");
            }

            @Override
            public Topics topics(Map<String, Object> settings, Duration limit) {
                throw new UnsupportedOperationException("a sink reads nothing here");
            }

            @Override
            public void checkTopics(Map<String, Object> settings, Collection<String> topics, Duration limit) {
                // they are all there
            }
        }).topic(topic);
    }
}
