// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.kafka;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongUnaryOperator;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;

/** Kafka's own mock of a consumer, which has records as soon as it is assigned. */
final class FilledConsumer extends MockConsumer<byte[], byte[]> {
    static final String TOPIC = "run";

    private final List<ConsumerRecord<byte[], byte[]>> records;

    FilledConsumer(int partitions, List<ConsumerRecord<byte[], byte[]>> records) {
        super("none");
        this.records = records;
        partitions(partitions);
        setMaxPollRecords(500);
    }

    /** The topic has so many from now on. */
    void partitions(int partitions) {
        List<PartitionInfo> infos = new ArrayList<>();
        for (int i = 0; i < partitions; i++) {
            infos.add(new PartitionInfo(TOPIC, i, Node.noNode(), new Node[0], new Node[0]));
        }
        updatePartitions(TOPIC, infos);
    }

    @Override
    public synchronized void assign(Collection<TopicPartition> partitions) {
        Set<TopicPartition> known = assignment();
        super.assign(partitions);
        for (TopicPartition partition : partitions) {
            updateBeginningOffsets(Map.of(partition, 0L));
            updateEndOffsets(Map.of(partition,
                    records.stream().filter(one -> one.partition() == partition.partition()).count()));
        }
        records.stream().filter(one -> partitions.contains(new TopicPartition(TOPIC, one.partition()))
                && !known.contains(new TopicPartition(TOPIC, one.partition()))).forEach(this::addRecord);
    }

    /** Without an end, as that of a partition that is not assigned. */
    @Override
    public synchronized Map<TopicPartition, Long> beginningOffsets(Collection<TopicPartition> partitions) {
        partitions.forEach(partition -> updateBeginningOffsets(Map.of(partition, 0L)));
        return super.beginningOffsets(partitions);
    }

    /** As Kafka's own does: negative times are refused. */
    @Override
    public synchronized Map<TopicPartition, OffsetAndTimestamp> offsetsForTimes(Map<TopicPartition, Long> times) {
        Map<TopicPartition, OffsetAndTimestamp> found = new HashMap<>();
        times.forEach((partition, time) -> {
            if (time < 0) {
                throw new IllegalArgumentException("a negative time: " + time);
            }
            records.stream().filter(one -> one.partition() == partition.partition() && one.timestamp() >= time).findFirst()
                    .ifPresent(one -> found.put(partition, new OffsetAndTimestamp(one.offset(), one.timestamp())));
        });
        return found;
    }

    /** As a sink writes it: sequences from 0 on, with tags 0 to 9 in turn, on partition sequence modulo partitions. */
    static List<ConsumerRecord<byte[], byte[]>> records(int n, int partitions, LongUnaryOperator nanos) {
        List<ConsumerRecord<byte[], byte[]>> all = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            all.add(numbered(i, i % partitions, i / partitions, nanos.applyAsLong(i)));
        }
        return all;
    }

    static ConsumerRecord<byte[], byte[]> numbered(long sequence, int partition, long offset, long nanos) {
        RecordHeaders headers = new RecordHeaders();
        headers.add(NetioKafkaHeaders.TAG, NetioKafkaHeaders.bytes(sequence % 10));
        headers.add(NetioKafkaHeaders.STATUS, new byte[] {(byte) (sequence % 256)});
        headers.add(NetioKafkaHeaders.RUN, NetioKafkaHeaders.bytes(77));
        headers.add(NetioKafkaHeaders.SEQUENCE, NetioKafkaHeaders.bytes(sequence));
        headers.add(NetioKafkaHeaders.TIME, NetioKafkaHeaders.bytes(nanos));
        return new ConsumerRecord<>(TOPIC, partition, offset, nanos / 1_000_000, TimestampType.CREATE_TIME, 8, 8,
                NetioKafkaHeaders.bytes(sequence % 10), ByteBuffer.allocate(8).putLong(sequence).array(), headers,
                Optional.empty());
    }
}
