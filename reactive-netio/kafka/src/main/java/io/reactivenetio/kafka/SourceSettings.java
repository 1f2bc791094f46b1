// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.kafka;

import io.reactivenetio.api.TaggedMessage;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/** What a {@link NetioKafkaSource} is configured to do. A source changes a copy, and nothing afterwards. */
final class SourceSettings {
    /** What the source decides. */
    static final Map<String, String> ITS_OWN = Map.of(
            ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, "create(…) has it",
            ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, "the key is bytes",
            ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, "the value is bytes",
            ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "from…(…) says where to begin",
            ConsumerConfig.GROUP_ID_CONFIG, "it reads all partitions, and is in no group",
            ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, "it is in no group");

    final String bootstrap;
    List<String> topics = List.of();
    Start start = new Start.Earliest();
    boolean toPresentEnd;
    double speed;
    double rate;
    Duration timeout = Duration.ofSeconds(10);
    Duration askForTopics = Duration.ofSeconds(10);
    Function<ConsumerRecord<byte[], byte[]>, TaggedMessage> decoder = NetioKafkaHeaders::message;
    Map<String, Object> properties = Map.of();
    KafkaClients clients = KafkaClients.REAL;

    SourceSettings(String bootstrap) {
        this.bootstrap = bootstrap;
    }

    private SourceSettings(SourceSettings other) {
        this.bootstrap = other.bootstrap;
        this.topics = other.topics;
        this.start = other.start;
        this.toPresentEnd = other.toPresentEnd;
        this.speed = other.speed;
        this.rate = other.rate;
        this.timeout = other.timeout;
        this.askForTopics = other.askForTopics;
        this.decoder = other.decoder;
        this.properties = other.properties;
        this.clients = other.clients;
    }

    SourceSettings copy() {
        return new SourceSettings(this);
    }

    /** Where to begin. */
    sealed interface Start {
        record Earliest() implements Start {
        }

        record End() implements Start {
        }

        record Offsets(Map<TopicPartition, Long> offsets) implements Start {
        }

        record Time(Instant time) implements Start {
        }
    }

    Map<String, Object> consumer() {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
        all.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
        all.put(ConsumerConfig.REQUEST_TIMEOUT_MS_CONFIG, (int) timeout.toMillis());
        all.put(ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG, 100); // a partition that goes on waits for a fetch of idle ones
        all.put(ConsumerConfig.METADATA_MAX_AGE_CONFIG, 30_000); // after that, added partitions are read
        all.putAll(properties);
        all.put(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrap);
        all.put(ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, (int) timeout.toMillis());
        all.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none");
        return all;
    }
}
