// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.events;

import io.reactivenetio.kafka.NetioKafkaSource;
import io.reactivenetio.testing.KafkaBroker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.TopicPartition;

/** The topic of the events, on a broker that is a process of its own. */
final class Topic implements AutoCloseable {
    static final String NAME = "events";

    private static final int PARTITIONS = 2;

    private final KafkaBroker broker;

    Topic(Path directory) throws IOException, InterruptedException {
        broker = KafkaBroker.start(Files.createDirectories(directory));
        try (Admin admin = admin()) {
            admin.createTopics(List.of(new NewTopic(NAME, PARTITIONS, (short) 1))).all().get();
        } catch (ExecutionException e) {
            broker.close();
            throw new IOException("the topic cannot be created", e);
        }
    }

    private Admin admin() {
        return Admin.create(Map.<String, Object>of("bootstrap.servers", broker.address()));
    }

    String brokers() {
        return broker.address();
    }

    /** Kills the broker, starts it again, and returns when it answers. */
    void killAndRestart() throws IOException, InterruptedException {
        broker.kill();
        broker.restart();
    }

    /**
     * What is in the topic.
     *
     * @param written how many records, by the offsets of its ends
     * @param read how many were read back
     * @param numbers how many different numbers of events, of those that were asked for
     * @param events how many different events
     */
    record Content(long written, long read, long numbers, long events) {
    }

    /** Reads everything back. {@code built}: the numbers 1 to this should be there. */
    Content read(long built) throws IOException, InterruptedException {
        long written = 0;
        try (Admin admin = admin()) {
            for (int partition = 0; partition < PARTITIONS; partition++) {
                TopicPartition end = new TopicPartition(NAME, partition);
                written += admin.listOffsets(Map.of(end, OffsetSpec.latest())).partitionResult(end).get().offset();
            }
        } catch (ExecutionException e) {
            throw new IOException("the ends of the topic are not known", e);
        }
        BitSet numbers = new BitSet();
        BitSet events = new BitSet();
        long records = NetioKafkaSource.create(brokers()).topics(NAME).toPresentEnd().records().doOnNext(one -> {
            Event event = Event.of(one.key(), one.value());
            events.set(Math.toIntExact(event.event()));
            if (event.number() <= built) {
                numbers.set(Math.toIntExact(event.number()));
            }
        }).count().blockOptional().orElse(0L);
        return new Content(written, records, numbers.cardinality(), events.cardinality());
    }

    @Override
    public void close() {
        broker.close();
    }
}
