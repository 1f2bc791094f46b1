// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.kafka;

import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Kafka's own mocks in the place of its clients. */
class MockClients implements KafkaClients {
    final ConcurrentLinkedQueue<Map<String, Object>> settings = new ConcurrentLinkedQueue<>();
    final MockProducer<byte[], byte[]> producer;
    Supplier<Consumer<byte[], byte[]>> consumers = () -> {
        throw new IllegalStateException("no consumer here");
    };
    final AtomicInteger closed = new AtomicInteger();
    volatile Exception noTopic;
    volatile Exception noAnswer;
    volatile Map<String, Uuid> ids = Map.of();

    MockClients(boolean autoComplete) {
        producer = new MockProducer<>(autoComplete, null, new ByteArraySerializer(), new ByteArraySerializer());
    }

    @Override
    public Producer<byte[], byte[]> producer(Map<String, Object> given) {
        settings.add(given);
        return producer;
    }

    @Override
    public Consumer<byte[], byte[]> consumer(Map<String, Object> given) {
        settings.add(given);
        return consumers.get();
    }

    @Override
    public void checkTopics(Map<String, Object> given, Collection<String> topics, Duration limit) throws Exception {
        if (noTopic != null) {
            throw noTopic;
        }
    }

    @Override
    public Topics topics(Map<String, Object> given, Duration limit) {
        return new Topics() {
            @Override
            public Map<String, Uuid> ids(Collection<String> topics) throws Exception {
                if (noAnswer != null) {
                    throw noAnswer;
                }
                return ids;
            }

            @Override
            public void close() {
                closed.incrementAndGet();
            }
        };
    }
}
