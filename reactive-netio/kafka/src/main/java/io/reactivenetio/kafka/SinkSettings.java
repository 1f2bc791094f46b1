// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.kafka;

import io.reactivenetio.api.TaggedMessage;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.LongFunction;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.jspecify.annotations.Nullable;

/** What a {@link NetioKafkaSink} is configured to do. A sink changes a copy, and nothing afterwards. */
final class SinkSettings {
    /** What all parts of a sink log under: the name of {@link NetioKafkaSink}. */
    static final String LOGGER = SinkSettings.class.getPackageName() + ".NetioKafkaSink";
    /** What is taken of the upstream and not acknowledged, unless set, in messages. */
    static final int MESSAGES_IN_FLIGHT = 10_000;
    /** How many bytes of these, unless set. */
    static final long BYTES_IN_FLIGHT = 32L << 20;
    /** What the sink decides. */
    static final Map<String, String> ITS_OWN = Map.of(
            ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, "create(…) has it",
            ProducerConfig.ACKS_CONFIG, "it is always all",
            ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, "it is always true",
            ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, "the key is the tag",
            ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, "the value is the payload",
            ProducerConfig.TRANSACTIONAL_ID_CONFIG, "transactional(…) sets it",
            ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, "deliveryTimeout(…) sets it",
            ProducerConfig.MAX_BLOCK_MS_CONFIG, "it follows from deliveryTimeout(…)",
            ProducerConfig.PARTITIONER_CLASS_CONFIG, "partition(…) is for that");

    private static final Duration MOST_BLOCKED = Duration.ofSeconds(1);
    private static final int LINGER = 5;
    private static final int REQUEST_TIMEOUT = 30_000;
    private static final long MOST_BUFFER = 1L << 40;

    final String bootstrap;
    @Nullable String topic;
    @Nullable LongFunction<String> topics;
    @Nullable PartitionChoice partition;
    @Nullable Function<TaggedMessage, @Nullable Instant> timestamp;
    int inFlight = MESSAGES_IN_FLIGHT;
    long inFlightBytes = BYTES_IN_FLIGHT;
    @Nullable Transactions transactions;
    boolean skipTooLarge;
    Duration timeout = Duration.ofSeconds(10);
    Duration deliveryTimeout = Duration.ofMinutes(2);
    Duration closeTimeout = Duration.ofSeconds(10);
    /** After so long without a message brokers may have forgotten the producer: producer.id.expiration.ms, a day unless set. */
    Duration mayBeForgotten = Duration.ofMinutes(1);
    Map<String, Object> properties = Map.of();
    KafkaClients clients = KafkaClients.REAL;

    SinkSettings(String bootstrap) {
        this.bootstrap = bootstrap;
    }

    private SinkSettings(SinkSettings other) {
        this.bootstrap = other.bootstrap;
        this.topic = other.topic;
        this.topics = other.topics;
        this.partition = other.partition;
        this.timestamp = other.timestamp;
        this.inFlight = other.inFlight;
        this.inFlightBytes = other.inFlightBytes;
        this.transactions = other.transactions;
        this.skipTooLarge = other.skipTooLarge;
        this.timeout = other.timeout;
        this.deliveryTimeout = other.deliveryTimeout;
        this.closeTimeout = other.closeTimeout;
        this.mayBeForgotten = other.mayBeForgotten;
        this.properties = other.properties;
        this.clients = other.clients;
    }

    SinkSettings copy() {
        return new SinkSettings(this);
    }

    /** Chooses a partition for a tag, on the sink's thread. */
    interface PartitionChoice {
        int partition(long tag, int partitions);
    }

    /** When a transaction is committed. */
    record Transactions(String id, int messages, Duration interval) {
    }

    /** Returns the settings of the producer. */
    Map<String, Object> producer() {
        Map<String, Object> all = new LinkedHashMap<>();
        int delivery = millis(deliveryTimeout);
        all.put(ProducerConfig.LINGER_MS_CONFIG, Math.min(LINGER, delivery / 2));
        all.put(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, Math.min(REQUEST_TIMEOUT, Math.max(1, delivery / 2)));
        // room for all that may be in flight, in batches that are not full: so it does not block as a rule
        all.put(ProducerConfig.BUFFER_MEMORY_CONFIG, Math.min(MOST_BUFFER, Math.max(64L << 20, 2 * inFlightBytes)));
        all.putAll(properties);
        all.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrap);
        all.put(ProducerConfig.ACKS_CONFIG, "all");
        all.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
        all.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, delivery);
        all.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, mostBlocked().toMillis());
        Transactions wished = transactions;
        if (wished != null) {
            all.put(ProducerConfig.TRANSACTIONAL_ID_CONFIG, wished.id());
        }
        return all;
    }

    /** How long the producer may block: a transaction does not survive that it gives up. */
    Duration mostBlocked() {
        return transactions == null && deliveryTimeout.compareTo(MOST_BLOCKED) > 0 ? MOST_BLOCKED : deliveryTimeout;
    }

    private static int millis(Duration time) {
        return (int) Math.min(time.toMillis(), Integer.MAX_VALUE);
    }

    /** What the producer takes at most in one request. */
    long mostRequest() {
        Object given = properties.get(ProducerConfig.MAX_REQUEST_SIZE_CONFIG);
        try {
            return given == null ? 1_048_576 : Long.parseLong(given.toString().strip());
        } catch (NumberFormatException e) {
            throw new NetioKafkaException(NetioKafkaException.Reason.SETTINGS, ProducerConfig.MAX_REQUEST_SIZE_CONFIG
                    + " must be a number of bytes: " + given, e);
        }
    }

    String topicOf(long tag) {
        LongFunction<String> choice = topics;
        if (choice == null) {
            return String.valueOf(topic);
        }
        String chosen = choice.apply(tag);
        if (chosen == null) {
            throw new NetioKafkaException(NetioKafkaException.Reason.NO_TOPIC, "the function for topics gave null for tag "
                    + Long.toUnsignedString(tag), null);
        }
        return chosen;
    }

    /** Returns the topics that are known before there is a message. */
    List<String> fixedTopics() {
        String one = topic;
        return one == null ? List.of() : List.of(one);
    }

    String topicText() {
        String one = topic;
        return one == null ? "by tag" : one;
    }
}
