// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.kafka;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Kafka's own mocks behind sinks and sources: in this package, as nobody else may choose their clients. */
public final class MockedKafka implements KafkaClients {
    /** What {@link #source} reads from. */
    public static final String TOPIC = "run";

    private final Deque<Exception> failures = new ArrayDeque<>();
    private final Map<String, Object> settings = new HashMap<>();
    private final List<MockProducer<byte[], byte[]>> producers = new CopyOnWriteArrayList<>();
    private final boolean acknowledges;
    private final int records;

    /** {@code acknowledges}: at once; otherwise when the test has the producer do so. {@code records} are in the topic. */
    public MockedKafka(boolean acknowledges, int records) {
        this.acknowledges = acknowledges;
        this.records = records;
    }

    /** Has the next {@code n} attempts fail as without a broker. */
    public synchronized MockedKafka away(int n) {
        for (int i = 0; i < n; i++) {
            failures.add(new TimeoutException("nobody answers"));
        }
        return this;
    }

    /** The sink, with these clients. */
    public NetioKafkaSink sink(NetioKafkaSink sink) {
        return sink.clients(this);
    }

    /** The source, with these clients. */
    public NetioKafkaSource source(NetioKafkaSource source) {
        return source.clients(this);
    }

    /** The producers that were made, one for each attempt that has found its topic. */
    public List<MockProducer<byte[], byte[]>> producers() {
        return producers;
    }

    /** The settings that the last client got. */
    public synchronized Map<String, Object> settings() {
        return Map.copyOf(settings);
    }

    @Override
    public synchronized Producer<byte[], byte[]> producer(Map<String, Object> given) {
        settings.putAll(given);
        MockProducer<byte[], byte[]> made = new MockProducer<>(acknowledges, null, new ByteArraySerializer(),
                new ByteArraySerializer());
        producers.add(made);
        return made;
    }

    @Override
    public synchronized Consumer<byte[], byte[]> consumer(Map<String, Object> given) {
        settings.putAll(given);
        return new Filled(records);
    }

    @Override
    public synchronized void checkTopics(Map<String, Object> given, Collection<String> topics, Duration limit)
            throws Exception {
        Exception failure = failures.poll();
        if (failure != null) {
            throw failure;
        }
    }

    /** A consumer of a partition with records whose tags are 0 to 9 in turn. */
    private static final class Filled extends MockConsumer<byte[], byte[]> {
        private final int records;

        Filled(int records) {
            super("none");
            this.records = records;
            updatePartitions(TOPIC, List.of(new PartitionInfo(TOPIC, 0, Node.noNode(), new Node[0], new Node[0])));
        }

        @Override
        public synchronized void assign(Collection<TopicPartition> partitions) {
            super.assign(partitions);
            TopicPartition only = new TopicPartition(TOPIC, 0);
            updateBeginningOffsets(Map.of(only, 0L));
            updateEndOffsets(Map.of(only, (long) records));
            for (int i = 0; i < records; i++) {
                RecordHeaders headers = new RecordHeaders();
                headers.add(NetioKafkaHeaders.TAG, NetioKafkaHeaders.bytes(i % 10));
                headers.add(NetioKafkaHeaders.STATUS, new byte[] {0});
                addRecord(new ConsumerRecord<>(TOPIC, 0, i, i, TimestampType.CREATE_TIME, 8, 8,
                        NetioKafkaHeaders.bytes(i % 10), NetioKafkaHeaders.bytes(i), headers, Optional.empty()));
            }
        }
    }
}
