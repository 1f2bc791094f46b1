// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.kafka;

import io.reactivenetio.api.TaggedMessage;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;

/**
 * Reads topics of Kafka as streams of messages, for instance to publish them: {@code publisher.publish(tags, source.messages())}.
 *
 * <p>A source is immutable: each setting returns a changed copy, which counts by itself. Each subscription has a consumer and a
 * thread of its own, on which the messages come. The consumer is closed when the subscription ends. It belongs to no group and
 * commits nothing: every subscription begins where {@code from…} says, and reads all partitions. Records of transactions that
 * are open or aborted are left out. All methods may be called on any thread.
 *
 * <p>Exactly what is requested is emitted. While nothing is requested, nothing is polled, and each partition has 1,000 records
 * waiting here at most, besides what the Kafka client fetches ahead ({@code max.partition.fetch.bytes}).
 *
 * <p>Messages of a partition, and so those of one tag, keep their order. Between partitions, those of one run come in the order
 * of their sequence headers, and all others by their time headers, as far as they are there: a source waits for a partition of
 * which it knows that it has more, and not for one that is at its end.
 */
public final class NetioKafkaSource {
    private static final Duration LONGEST = Duration.ofMillis(Integer.MAX_VALUE);

    private final SourceSettings settings;
    private final SourceCounters counters = new SourceCounters();

    private NetioKafkaSource(SourceSettings settings) {
        this.settings = settings;
    }

    /**
     * Creates a source that reads from the beginning, as fast as is asked for, and does not end. Set topics next.
     *
     * @param bootstrap brokers as Kafka takes them: {@code host:port}, or several with commas
     */
    public static NetioKafkaSource create(String bootstrap) {
        if (bootstrap.isBlank()) {
            throw new IllegalArgumentException("a source needs brokers, such as localhost:9092");
        }
        return new NetioKafkaSource(new SourceSettings(bootstrap));
    }

    private NetioKafkaSource with(Consumer<SourceSettings> change) {
        SourceSettings changed = settings.copy();
        change.accept(changed);
        return new NetioKafkaSource(changed);
    }

    NetioKafkaSource clients(KafkaClients clients) {
        return with(s -> s.clients = clients);
    }

    NetioKafkaSource askForTopics(Duration pause) {
        return with(s -> s.askForTopics = pause);
    }

    /**
     * Reads these topics, which have to exist.
     *
     * @throws IllegalArgumentException if there is none, or one twice
     */
    public NetioKafkaSource topics(String... topics) {
        List<String> names = List.of(topics);
        if (names.isEmpty() || names.stream().distinct().count() < names.size()) {
            throw new IllegalArgumentException("read at least one topic, and each once: " + Arrays.toString(topics));
        }
        return with(s -> s.topics = names);
    }

    /** Begins with the first record that each partition still has. This is what a source does unless it is told otherwise. */
    public NetioKafkaSource fromBeginning() {
        return with(s -> s.start = new SourceSettings.Start.Earliest());
    }

    /** Begins with what comes after the subscription. */
    public NetioKafkaSource fromEnd() {
        return with(s -> s.start = new SourceSettings.Start.End());
    }

    /**
     * Begins at these offsets; partitions that have none here begin at their beginning. An offset that a partition does not have
     * fails the Flux.
     */
    public NetioKafkaSource fromOffsets(Map<TopicPartition, Long> offsets) {
        Map<TopicPartition, Long> all = Map.copyOf(offsets);
        return with(s -> s.start = new SourceSettings.Start.Offsets(all));
    }

    /** Begins with the first record of each partition whose timestamp is {@code time} or later; at its end if there is none. */
    public NetioKafkaSource fromTime(Instant time) {
        Objects.requireNonNull(time, "time");
        return with(s -> s.start = new SourceSettings.Start.Time(time));
    }

    /** Completes when everything has been emitted that was there when the subscription began: the replay of a run. */
    public NetioKafkaSource toPresentEnd() {
        return with(s -> s.toPresentEnd = true);
    }

    /**
     * Emits messages at the pace at which they were written, by their time headers, times {@code factor}: 2 is twice as fast. A
     * message whose time is before that of the message before it, as the clock went back or several sources share a topic, is not
     * waited for; what follows is timed from there. Nor is one whose time is more than a day later, as from 1970 to the present:
     * that is logged, and so is where the source waits for more than a minute. Demand that comes late is not made up for: later
     * messages keep their distances. Unless set, messages come as fast as they are asked for.
     *
     * @throws IllegalArgumentException if it is not positive
     */
    public NetioKafkaSource atSpeed(double factor) {
        positive("the factor", factor);
        return with(s -> {
            s.speed = factor;
            s.rate = 0;
        });
    }

    /**
     * Emits so many messages per second at most. What was not used is not saved up for longer than 100 ms.
     *
     * @throws IllegalArgumentException if it is not positive
     */
    public NetioKafkaSource atRate(double messagesPerSecond) {
        positive("the rate", messagesPerSecond);
        return with(s -> {
            s.rate = messagesPerSecond;
            s.speed = 0;
        });
    }

    private static void positive(String what, double value) {
        if (!(value > 0 && value < Double.POSITIVE_INFINITY)) {
            throw new IllegalArgumentException(what + " must be more than 0: " + value);
        }
    }

    /**
     * Sets how long finding the brokers and the topics may take at the beginning; 10 s unless set. A source that reads to the
     * present end fails, too, when no broker has sent anything for six times as long, although there is more. One that reads
     * endlessly waits until the brokers are back.
     */
    public NetioKafkaSource timeout(Duration limit) {
        if (!limit.isPositive()) {
            throw new IllegalArgumentException("a limit must be longer than nothing: " + limit);
        }
        Duration checked = limit.compareTo(LONGEST) > 0 ? LONGEST : limit;
        return with(s -> s.timeout = checked);
    }

    /**
     * Makes messages of records in another way than {@link NetioKafkaHeaders#message}, for topics that no {@link NetioKafkaSink}
     * has written. It is called on the source's thread. What it throws fails the Flux.
     */
    public NetioKafkaSource decoder(Function<ConsumerRecord<byte[], byte[]>, TaggedMessage> decoder) {
        Objects.requireNonNull(decoder, "decoder");
        return with(s -> s.decoder = decoder);
    }

    /**
     * Sets a property of Kafka's consumer, such as {@code max.partition.fetch.bytes}, or of its security.
     *
     * @throws IllegalArgumentException if the source decides about it
     */
    public NetioKafkaSource property(String name, Object value) {
        String reason = SourceSettings.ITS_OWN.get(name);
        if (reason != null) {
            throw new IllegalArgumentException("the source decides about " + name + ": " + reason);
        }
        Map<String, Object> all = new LinkedHashMap<>(settings.properties);
        all.put(name, value);
        return with(s -> s.properties = Map.copyOf(all));
    }

    /** The messages, with tag and status. Payloads belong to the receiver. */
    public Flux<TaggedMessage> messages() {
        return flux(settings.decoder);
    }

    /** The records themselves, for their headers, offsets and times. */
    public Flux<ConsumerRecord<byte[], byte[]>> records() {
        return flux(Function.identity());
    }

    /** Returns a snapshot of the counters. */
    public KafkaSourceStatistics statistics() {
        return counters.statistics();
    }

    private <T> Flux<T> flux(Function<ConsumerRecord<byte[], byte[]>, T> decoder) {
        if (settings.topics.isEmpty()) {
            throw new IllegalStateException("the source has no topics: set some with topics(…)");
        }
        return new Flux<>() {
            @Override
            public void subscribe(CoreSubscriber<? super T> actual) {
                SourceRun<T> run = new SourceRun<>(settings, counters, decoder, actual);
                actual.onSubscribe(run);
                run.start();
            }
        };
    }
}
