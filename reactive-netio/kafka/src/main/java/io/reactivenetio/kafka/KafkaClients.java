// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.kafka;

import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Makes clients of Kafka: real ones, or those of a test. */
interface KafkaClients {
    KafkaClients REAL = new KafkaClients() {
        @Override
        public Producer<byte[], byte[]> producer(Map<String, Object> settings) {
            return new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
        }

        @Override
        public Consumer<byte[], byte[]> consumer(Map<String, Object> settings) {
            return new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer());
        }

        @Override
        public void checkTopics(Map<String, Object> settings, Collection<String> topics, Duration limit) throws Exception {
            Properties own = new Properties();
            settings.forEach((name, value) -> {
                if (AdminClientConfig.configNames().contains(name)) {
                    own.put(name, value);
                }
            });
            int millis = (int) Math.min(limit.toMillis(), Integer.MAX_VALUE);
            own.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, millis);
            own.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, millis);
            Admin admin = Admin.create(own);
            try {
                if (topics.isEmpty()) {
                    admin.describeCluster().nodes().get();
                } else {
                    admin.describeTopics(topics).allTopicNames().get();
                }
            } finally {
                admin.close(Duration.ZERO);
            }
        }
    };

    Producer<byte[], byte[]> producer(Map<String, Object> settings);

    Consumer<byte[], byte[]> consumer(Map<String, Object> settings);

    /** Returns if a broker and all these topics are there; blocks for {@code limit} at most. Throws what Kafka throws. */
    void checkTopics(Map<String, Object> settings, Collection<String> topics, Duration limit) throws Exception;
}
