// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.kafka;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.Uuid;
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
        public Topics topics(Map<String, Object> settings, Duration limit) {
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
            return new Topics() {
                @Override
                public Map<String, Uuid> ids(Collection<String> topics) throws Exception {
                    Map<String, Uuid> ids = new HashMap<>();
                    if (topics.isEmpty()) {
                        admin.describeCluster().nodes().get();
                    } else {
                        admin.describeTopics(topics).allTopicNames().get()
                                .forEach((name, topic) -> ids.put(name, topic.topicId()));
                    }
                    return ids;
                }

                @Override
                public void close() {
                    admin.close(Duration.ZERO);
                }
            };
        }
    };

    Producer<byte[], byte[]> producer(Map<String, Object> settings);

    Consumer<byte[], byte[]> consumer(Map<String, Object> settings);

    /** Returns if a broker and all these topics are there; blocks for {@code limit} at most. Throws what Kafka throws. */
    default void checkTopics(Map<String, Object> settings, Collection<String> topics, Duration limit) throws Exception {
        try (Topics asked = topics(settings, limit)) {
            asked.ids(topics);
        }
    }

    /** To ask about topics; each answer may take {@code limit}. Those of a test may know no ids. */
    default Topics topics(Map<String, Object> settings, Duration limit) {
        return new Topics() {
            @Override
            public Map<String, Uuid> ids(Collection<String> topics) {
                return Map.of();
            }

            @Override
            public void close() {
                // has nothing
            }
        };
    }

    /** Asks the brokers about topics. For one thread. */
    interface Topics extends AutoCloseable {
        /** The ids of these topics, if a broker and all of them are there; blocks for it. Throws what Kafka throws. */
        Map<String, Uuid> ids(Collection<String> topics) throws Exception;

        @Override
        void close();
    }
}
