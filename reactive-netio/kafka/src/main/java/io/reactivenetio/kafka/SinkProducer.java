// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.kafka;

import io.reactivenetio.api.TaggedMessage;
import io.reactivenetio.kafka.NetioKafkaException.Reason;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.function.Function;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.utils.Utils;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The producer of one subscription, with its transactions. For the sink's thread. */
final class SinkProducer {
    private static final Logger LOG = LoggerFactory.getLogger(SinkSettings.LOGGER);

    private final SinkSettings settings;
    private final SinkSettings.@Nullable Transactions transactions;
    private final Map<String, Opened> topics = new HashMap<>();
    private @Nullable Producer<byte[], byte[]> producer;
    private int inTransaction;
    private long begun;
    private long committed;
    private long mostRequest;

    SinkProducer(SinkSettings settings) {
        this.settings = settings;
        this.transactions = settings.transactions;
    }

    /** Finds brokers and topic, or throws. */
    void open() {
        KafkaProblems problems = new KafkaProblems(settings.bootstrap);
        mostRequest = settings.mostRequest();
        Map<String, Object> properties = settings.producer();
        problems.checkTopics(settings.clients, properties, settings.fixedTopics(), settings.timeout);
        try {
            Producer<byte[], byte[]> made = settings.clients.producer(properties);
            producer = made;
            if (transactions != null) {
                made.initTransactions();
            }
        } catch (RuntimeException e) {
            throw problems.explain(e, transactions == null ? "making a producer"
                    : "beginning transactions with the id " + transactions.id(), 0);
        }
    }

    private Producer<byte[], byte[]> opened() {
        Producer<byte[], byte[]> made = producer;
        if (made == null) {
            throw new IllegalStateException("not open");
        }
        return made;
    }

    long mostRequest() {
        return mostRequest;
    }

    /**
     * Hands a message over, unless the first one of its partition is still on its way: then it returns false. A broker that knows
     * nothing of a producer in a partition takes any batch as its first, so one that overtakes the first, because that has to be
     * sent again, would shut it out for ever. A message that comes after a long silence is a first one again.
     */
    boolean send(SinkEntry entry) {
        String topic = settings.topicOf(entry.tag());
        entry.goesTo(topic);
        byte[] key = NetioKafkaHeaders.bytes(entry.tag());
        Opened partitions;
        try {
            partitions = topics.computeIfAbsent(topic, name -> new Opened(opened().partitionsFor(name).size(),
                    settings.mayBeForgotten.toNanos()));
        } catch (TimeoutException e) {
            entry.onCompletion(null, e); // as the producer tells it
            return true;
        }
        int partition = partition(topic, entry.tag(), key, partitions.first.length);
        if (!partitions.mayTake(partition, entry)) {
            return false;
        }
        ProducerRecord<byte[], byte[]> made = new ProducerRecord<>(topic, partition, millis(entry), key, entry.value(),
                NetioKafkaHeaders.of(entry, key));
        if (transactions != null) {
            if (inTransaction == 0) {
                opened().beginTransaction();
                begun = System.nanoTime();
            }
            inTransaction++;
        }
        Future<RecordMetadata> _ = opened().send(made, entry); // the entry is told
        return true;
    }

    /** Which partitions of a topic have a message of this producer, and the first ones of those that have none yet. */
    private static final class Opened {
        private final @Nullable SinkEntry[] first;
        private final boolean[] open;
        private final long[] used;
        private final long forgotten;

        Opened(int partitions, long forgotten) {
            first = new SinkEntry[Math.max(1, partitions)];
            open = new boolean[first.length];
            used = new long[first.length];
            this.forgotten = forgotten;
        }

        boolean mayTake(int partition, SinkEntry entry) {
            SinkEntry before = first[partition];
            if (before != null && before != entry && before.done() && before.failure() == null) {
                open[partition] = true;
                first[partition] = null;
            }
            long now = System.nanoTime();
            if (open[partition]) {
                open[partition] = now - used[partition] < forgotten;
            }
            used[partition] = now;
            if (open[partition]) {
                return true;
            }
            if (before != null && before != entry && !before.done()) {
                return false;
            }
            first[partition] = entry;
            return true;
        }
    }

    /** The record's timestamp: that of the user's function, or when the message came. */
    private long millis(SinkEntry entry) {
        Function<TaggedMessage, @Nullable Instant> function = settings.timestamp;
        Instant time = function == null ? null : function.apply(entry.view());
        if (time == null) {
            return Math.max(0, entry.nanosTime() / 1_000_000);
        }
        if (time.getEpochSecond() < 0 || time.getEpochSecond() > Long.MAX_VALUE / 1_000 - 1) {
            throw new NetioKafkaException(Reason.TIMESTAMP, "timestamp(…) gave " + time + " for " + entry.name() + ", to topic "
                    + settings.topicText() + ": Kafka has times from 1970 on", null);
        }
        return time.toEpochMilli();
    }

    /**
     * If {@code topic} is known to have fewer partitions than when its first message was sent: says so. Otherwise null. It asks
     * nobody where transactions are, for that may block for long.
     */
    @Nullable String hasShrunk(String topic) {
        Opened found = topics.get(topic);
        if (found == null || transactions != null) {
            return null;
        }
        try {
            int now = opened().partitionsFor(topic).size();
            return now == 0 || now >= found.first.length ? null : "topic " + topic + " has " + now + " partitions now, and had "
                    + found.first.length + ": it was made again meanwhile";
        } catch (RuntimeException e) {
            LOG.debug("looking for the partitions of {}", topic, e);
            return null;
        }
    }

    /** Chooses as every Kafka client chooses by the key, unless the user does. */
    private int partition(String topic, long tag, byte[] key, int number) {
        SinkSettings.PartitionChoice choice = settings.partition;
        if (choice == null) {
            return Utils.toPositive(Utils.murmur2(key)) % number;
        }
        int chosen = choice.partition(tag, number);
        if (chosen < 0 || chosen >= number) {
            throw new IllegalArgumentException("partition(…) chose " + chosen + " for tag " + Long.toUnsignedString(tag)
                    + ", and topic " + topic + " has partitions 0 to " + (number - 1));
        }
        return chosen;
    }

    /** Whether the open transaction is to be committed; {@code anyway}: nothing more comes before it is. */
    boolean commitIsDue(boolean anyway, long now) {
        return transactions != null && inTransaction > 0
                && (anyway || inTransaction >= transactions.messages() || now - begun >= transactions.interval().toNanos());
    }

    long untilCommit(long now) {
        return transactions == null || inTransaction == 0 ? Long.MAX_VALUE
                : Math.max(1, begun + transactions.interval().toNanos() - now);
    }

    /** Commits; {@code handedOver} messages may be acknowledged then. */
    void commit(long handedOver) {
        opened().commitTransaction();
        inTransaction = 0;
        committed = handedOver;
    }

    /** Whether the oldest message in flight is committed, or need not be. */
    boolean mayAcknowledge() {
        return transactions == null || committed > 0;
    }

    void acknowledged() {
        if (transactions != null) {
            committed--;
        }
    }

    /** Waits for what the producer has, for {@code limit} at most. An open transaction is aborted. Does not throw. */
    void close(Duration limit) {
        Producer<byte[], byte[]> made = producer;
        if (made != null) {
            try {
                made.close(limit);
            } catch (RuntimeException e) {
                LOG.debug("closing the producer", e);
            }
        }
    }
}
