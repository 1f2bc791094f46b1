// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.kafka;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** The records that wait, by partition, and whose turn it is. For one thread. */
final class PartitionHeads {
    /** A partition with so many is not polled: one poll brings 500 as a rule. */
    static final int ENOUGH = 500;

    private final Map<TopicPartition, PartitionHead> partitions = new LinkedHashMap<>();

    /** A record with what is compared, so that its headers are read once. */
    private record Timed(ConsumerRecord<byte[], byte[]> record, long run, long sequence, long time) {
        static Timed of(ConsumerRecord<byte[], byte[]> record) {
            OptionalLong run = NetioKafkaHeaders.run(record);
            return new Timed(record, run.orElse(0), NetioKafkaHeaders.sequence(record).orElse(0), NetioKafkaHeaders.time(record));
        }

        boolean isBefore(Timed other) {
            return run != 0 && run == other.run ? sequence < other.sequence : time < other.time;
        }
    }

    private static final class PartitionHead {
        private final Deque<Timed> records = new ArrayDeque<>();
        private final long end;
        private long position;
        private boolean ended;

        PartitionHead(long end) {
            this.end = end;
        }
    }

    /** With the offset at which each partition ends; Long.MAX_VALUE: never. */
    PartitionHeads(Map<TopicPartition, Long> ends) {
        ends.forEach((partition, end) -> partitions.put(partition, new PartitionHead(end)));
    }

    /** A partition that was added, and has no end. */
    void open(TopicPartition added) {
        partitions.putIfAbsent(added, new PartitionHead(Long.MAX_VALUE));
    }

    void add(ConsumerRecords<byte[], byte[]> polled) {
        for (ConsumerRecord<byte[], byte[]> one : polled) {
            PartitionHead waiting = partitions.get(new TopicPartition(one.topic(), one.partition()));
            if (waiting != null && one.offset() < waiting.end) {
                waiting.records.add(Timed.of(one));
            }
        }
    }

    /** A partition was read up to {@code position}. */
    void readTo(TopicPartition partition, long position) {
        PartitionHead waiting = partitions.get(partition);
        if (waiting != null) {
            waiting.position = position;
            waiting.ended = position >= waiting.end;
        }
    }

    /** How many offsets of it are not read. */
    long untilEnd(TopicPartition partition) {
        PartitionHead waiting = partitions.get(partition);
        return waiting == null ? 0 : Math.max(0, waiting.end - waiting.position);
    }

    /** How many records wait. */
    long waiting() {
        return partitions.values().stream().mapToLong(waiting -> waiting.records.size()).sum();
    }

    /** Partitions that are read to their end: no more is polled of them. */
    Collection<TopicPartition> ended() {
        return of(true);
    }

    Collection<TopicPartition> open() {
        return of(false);
    }

    private Collection<TopicPartition> of(boolean ended) {
        List<TopicPartition> chosen = new ArrayList<>();
        partitions.forEach((partition, waiting) -> {
            if (waiting.ended == ended) {
                chosen.add(partition);
            }
        });
        return chosen;
    }

    /** Open ones that have enough, or have not. */
    Collection<TopicPartition> open(boolean enough) {
        List<TopicPartition> chosen = new ArrayList<>();
        partitions.forEach((partition, waiting) -> {
            if (!waiting.ended && waiting.records.size() >= ENOUGH == enough) {
                chosen.add(partition);
            }
        });
        return chosen;
    }

    /** Open ones of which nothing waits. */
    List<TopicPartition> empty() {
        List<TopicPartition> chosen = new ArrayList<>();
        partitions.forEach((partition, waiting) -> {
            if (!waiting.ended && waiting.records.isEmpty()) {
                chosen.add(partition);
            }
        });
        return chosen;
    }

    /** Whether more than {@code before} open ones have nothing that waits. */
    boolean haveEmptied(int before) {
        int now = 0;
        for (PartitionHead waiting : partitions.values()) {
            now += !waiting.ended && waiting.records.isEmpty() ? 1 : 0;
        }
        return now > before;
    }

    boolean areAllOver() {
        return partitions.values().stream().allMatch(waiting -> waiting.ended && waiting.records.isEmpty());
    }

    /** The time of the record whose turn it is; null if none waits. */
    @Nullable Long nextTime() {
        PartitionHead next = next();
        Timed head = next == null ? null : next.records.peek();
        return head == null ? null : head.time();
    }

    /** The record whose turn it is, which does not wait any more; null if none waits. */
    @Nullable ConsumerRecord<byte[], byte[]> take() {
        PartitionHead next = next();
        Timed head = next == null ? null : next.records.poll();
        return head == null ? null : head.record();
    }

    private @Nullable PartitionHead next() {
        PartitionHead best = null;
        Timed first = null;
        for (PartitionHead waiting : partitions.values()) {
            Timed head = waiting.records.peek();
            if (head != null && (first == null || head.isBefore(first))) {
                first = head;
                best = waiting;
            }
        }
        return best;
    }
}
