// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.kafka;

import io.reactivenetio.api.Tags;
import io.reactivenetio.kafka.NetioKafkaException.Reason;
import io.reactivenetio.pubsub.Gap;
import io.reactivenetio.pubsub.Position;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** Reads the ends of a topic's partitions, backwards in growing steps, for the last messages of some tags. Blocks. */
final class PositionFinder {
    private static final long FIRST_STEP = 256;
    private static final int MOST_GAPS = 1_000;
    private static final Duration POLL = Duration.ofMillis(200);

    private final SinkSettings settings;
    private final String topic;
    private final Tags tags;

    PositionFinder(SinkSettings settings, String topic, Tags tags) {
        this.settings = settings;
        this.topic = topic;
        this.tags = tags;
    }

    private record Found(long run, long sequence, long time) {
    }

    /** What is known of a partition: the records from {@code from} on, whose first ones are first. */
    private static final class Tail {
        private final List<Found> found = new ArrayList<>();
        private long bytes;
        private boolean whole;
    }

    @Nullable KafkaPosition find() {
        KafkaProblems problems = new KafkaProblems(settings.bootstrap);
        Map<String, Object> properties = new LinkedHashMap<>(settings.properties);
        properties.keySet().retainAll(ConsumerConfig.configNames());
        properties.put(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, settings.bootstrap);
        properties.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
        properties.put(ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, (int) settings.timeout.toMillis());
        properties.put(ConsumerConfig.REQUEST_TIMEOUT_MS_CONFIG, (int) settings.timeout.toMillis());
        properties.put(ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG, 10); // a fetch at the end holds up the next one
        properties.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
        problems.checkTopics(settings.clients, properties, List.of(topic), settings.timeout);
        try (Consumer<byte[], byte[]> consumer = settings.clients.consumer(properties)) {
            List<TopicPartition> partitions = consumer.partitionsFor(topic).stream()
                    .map(info -> new TopicPartition(topic, info.partition())).toList();
            Map<TopicPartition, Long> first = consumer.beginningOffsets(partitions);
            Map<TopicPartition, Long> end = consumer.endOffsets(partitions);
            List<Tail> tails = new ArrayList<>();
            for (TopicPartition partition : partitions) {
                tails.add(tail(consumer, partition, first.getOrDefault(partition, 0L), end.getOrDefault(partition, 0L)));
            }
            return position(tails);
        } catch (RuntimeException e) {
            throw problems.explain(e, "looking for the last messages in topic " + topic, 0);
        }
    }

    private Tail tail(Consumer<byte[], byte[]> consumer, TopicPartition partition, long first, long end) {
        Tail tail = new Tail();
        long step = FIRST_STEP;
        consumer.assign(List.of(partition));
        long to = end;
        while (to > first && tail.found.size() < settings.inFlight && tail.bytes < settings.inFlightBytes) {
            long from = Math.max(first, to - step);
            tail.found.addAll(0, read(consumer, partition, from, to, tail));
            to = from;
            step *= 4;
        }
        tail.whole = to <= first;
        return tail;
    }

    private List<Found> read(Consumer<byte[], byte[]> consumer, TopicPartition partition, long from, long to, Tail tail) {
        List<Found> found = new ArrayList<>();
        consumer.seek(partition, from);
        long progress = System.nanoTime();
        for (long at = from; at < to; at = consumer.position(partition)) {
            for (ConsumerRecord<byte[], byte[]> one : consumer.poll(POLL).records(partition)) {
                OptionalLong tag = NetioKafkaHeaders.tag(one);
                OptionalLong run = NetioKafkaHeaders.run(one);
                OptionalLong sequence = NetioKafkaHeaders.sequence(one);
                if (one.offset() < to && tag.isPresent() && tags.contains(tag.getAsLong()) && run.isPresent()
                        && sequence.isPresent()) {
                    found.add(new Found(run.getAsLong(), sequence.getAsLong(), NetioKafkaHeaders.time(one)));
                    tail.bytes += Math.max(0, one.serializedValueSize());
                }
            }
            long now = System.nanoTime();
            if (consumer.position(partition) > at) {
                progress = now;
            } else if (now - progress > settings.timeout.toNanos()) {
                throw new NetioKafkaException(Reason.NO_BROKER, "reading " + partition + " from offset " + at + ": no broker at "
                        + settings.bootstrap + " has sent anything for " + settings.timeout, null);
            }
        }
        return found;
    }

    private @Nullable KafkaPosition position(List<Tail> tails) {
        Found last = null;
        for (Tail tail : tails) {
            for (Found one : tail.found) {
                boolean later = last == null || (one.run() == last.run() ? one.sequence() > last.sequence()
                        : one.time() > last.time());
                last = later ? one : last;
            }
        }
        if (last == null) {
            return null;
        }
        long run = last.run();
        // below the first number of a partition that was not read as a whole, nobody knows what it has
        long known = 0;
        for (Tail tail : tails) {
            if (!tail.whole) {
                long lowest = tail.found.stream().filter(one -> one.run() == run).mapToLong(Found::sequence).min().orElse(0);
                known = Math.max(known, lowest);
            }
        }
        long from = known;
        long[] numbers = tails.stream().flatMap(tail -> tail.found.stream())
                .filter(one -> one.run() == run && one.sequence() >= from).mapToLong(Found::sequence).sorted().distinct()
                .toArray();
        List<Gap> missing = new ArrayList<>();
        for (int i = Math.max(1, numbers.length - settings.inFlight); i < numbers.length && missing.size() < MOST_GAPS; i++) {
            if (numbers[i] > numbers[i - 1] + 1) {
                missing.add(new Gap(tags, run, numbers[i - 1] + 1, numbers[i] - 1));
            }
        }
        return new KafkaPosition(new Position(run, last.sequence()), List.copyOf(missing));
    }
}
