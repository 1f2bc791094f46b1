// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.kafka;

import io.reactivenetio.api.TaggedMessage;
import io.reactivenetio.api.Tags;
import io.reactivenetio.pubsub.NetioSubscriber;
import io.reactivenetio.pubsub.SequencedEvent;
import java.nio.ByteOrder;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * Writes streams of messages to Kafka. The record's key is the tag, and {@link NetioKafkaHeaders} has its headers.
 *
 * <p>A sink is immutable: each setting returns a changed copy, which counts by itself. Nothing happens before a Flux of
 * {@link #send} is subscribed to. Each subscription has a producer and a thread of its own, on which the acknowledgements come.
 * Nothing of Kafka runs on a loop. All methods may be called on any thread.
 *
 * <p>The producer is idempotent and waits for all in-sync replicas, always: as long as it lives, no record is lost or doubled,
 * whatever happens to brokers and connections meanwhile, up to {@link #deliveryTimeout}. The upstream is asked for what fits
 * {@link #inFlight}. So a broker that is slow, or away, holds the upstream back.
 *
 * <p>The Flux fails with a {@link NetioKafkaException}, and ends the producer, when Kafka does not take a record, or not in time;
 * {@link NetioKafkaException#unacknowledged} says how many messages are not known to be in Kafka. If the upstream fails, the Flux
 * does so when everything before is acknowledged. A cancel ends the upstream at once: what the producer has is still sent, for
 * {@link #closeTimeout} at most, and nobody is told; an open transaction is aborted. To end in an orderly way, complete the
 * upstream, with {@code takeUntilOther} for instance.
 */
public final class NetioKafkaSink {
    /** How many messages are in flight at most, unless set. */
    public static final int DEFAULT_IN_FLIGHT = SinkSettings.MESSAGES_IN_FLIGHT;
    /** How many bytes of payload are in flight at most, unless set. */
    public static final long DEFAULT_IN_FLIGHT_BYTES = SinkSettings.BYTES_IN_FLIGHT;

    private static final Duration LONGEST = Duration.ofMillis(Integer.MAX_VALUE);

    private final SinkSettings settings;
    private final SinkCounters counters = new SinkCounters();

    private NetioKafkaSink(SinkSettings settings) {
        this.settings = settings;
    }

    /**
     * Creates a sink. Set a topic next.
     *
     * @param bootstrap brokers as Kafka takes them: {@code host:port}, or several with commas
     */
    public static NetioKafkaSink create(String bootstrap) {
        if (bootstrap.isBlank()) {
            throw new IllegalArgumentException("a sink needs brokers, such as localhost:9092");
        }
        return new NetioKafkaSink(new SinkSettings(bootstrap));
    }

    NetioKafkaSink clients(KafkaClients clients) {
        return with(s -> s.clients = clients);
    }

    SinkSettings settings() {
        return settings;
    }

    /** Writes all messages to {@code topic}, which has to exist. */
    public NetioKafkaSink topic(String topic) {
        Objects.requireNonNull(topic, "topic");
        return with(s -> {
            s.topic = topic;
            s.topics = null;
        });
    }

    /**
     * Writes messages to the topic that {@code choice} names for their tags. It is called on the sink's thread. Topics that are
     * not there fail the Flux when their first message comes, unless the brokers create topics by themselves.
     */
    public NetioKafkaSink topic(LongFunction<String> choice) {
        Objects.requireNonNull(choice, "choice");
        return with(s -> {
            s.topic = null;
            s.topics = choice;
        });
    }

    /** Chooses a partition by tag, see {@link #partition}. */
    @FunctionalInterface
    public interface PartitionFunction {
        /** The partition for {@code tag}, 0 to {@code partitions - 1}. */
        int partition(long tag, int partitions);
    }

    /**
     * Chooses partitions; unless set, Kafka's own hash of the key does, which every Kafka client has. Messages keep their order
     * within a partition only, so the same tag must get the same one. {@code choice} is called on the sink's thread.
     */
    public NetioKafkaSink partition(PartitionFunction choice) {
        Objects.requireNonNull(choice, "choice");
        return with(s -> s.partition = choice::partition);
    }

    /**
     * Sets the records' timestamps: when the event was, which is what Kafka looks for by time, and other programs take as event
     * time. Where {@code time} gives null, and unless this is set, it is when the message came to the sink, by the clock of its
     * machine. {@code time} is called on the sink's thread, with a payload that is read-only. What it throws fails the Flux, and
     * a time before 1970 does so with the reason TIMESTAMP. Brokers refuse times that are more than an hour ahead of their own,
     * unless {@code message.timestamp.after.max.ms} of the topic says else.
     */
    public NetioKafkaSink timestamp(Function<? super TaggedMessage, ? extends @Nullable Instant> time) {
        Objects.requireNonNull(time, "time");
        return with(s -> s.timestamp = time::apply);
    }

    /**
     * Sets the {@link #timestamp} by a number in the payload: 8 bytes at {@code offset} in {@code order}, so many of {@code unit}
     * since 1970. Messages that are shorter get the time when they came.
     *
     * @throws IllegalArgumentException if the offset is negative
     */
    public NetioKafkaSink timestampAt(int offset, ByteOrder order, TimeUnit unit) {
        PayloadTime time = new PayloadTime(offset, order, unit.toChronoUnit());
        return timestamp(time::of);
    }

    /**
     * Sets how much is taken of the upstream and not acknowledged: {@value #DEFAULT_IN_FLIGHT} messages and 32 MiB unless set. A
     * message that is larger than {@code bytes} goes alone. Messages that grow suddenly exceed {@code bytes} by what has been
     * requested already, which is 1,024 messages at most.
     *
     * @throws IllegalArgumentException if one of them is less than 1
     */
    public NetioKafkaSink inFlight(int messages, long bytes) {
        if (messages < 1 || bytes < 1) {
            throw new IllegalArgumentException("at least 1 message and 1 byte have to be in flight: " + messages + ", " + bytes);
        }
        return with(s -> {
            s.inFlight = messages;
            s.inFlightBytes = bytes;
        });
    }

    /**
     * Writes in transactions: consumers with {@code read_committed} see all messages of one, or none. A transaction is committed
     * after so many messages, after {@code interval} since its first, or when nothing more fits {@link #inFlight}; and only then
     * are its messages acknowledged. A record that fails aborts its transaction, and the Flux fails.
     *
     * @param id Kafka's transactional id: a producer that begins with the same id later ends this one
     * @throws IllegalArgumentException if the id is blank, or messages or interval are not positive
     */
    public NetioKafkaSink transactional(String id, int messages, Duration interval) {
        if (id.isBlank() || messages < 1 || !interval.isPositive()) {
            throw new IllegalArgumentException("a transaction needs an id, and an end after at least 1 message and a time: '" + id
                    + "', " + messages + ", " + interval);
        }
        return with(s -> s.transactions = new SinkSettings.Transactions(id, messages, interval));
    }

    /**
     * Leaves messages out that are larger than the producer's {@code max.request.size} or the topic's {@code max.message.bytes},
     * counts them in {@link #statistics}, and says so in the log, at most once per second. Unless set, they fail the Flux. With
     * transactions, those that only the broker refuses fail the Flux nevertheless.
     */
    public NetioKafkaSink skipTooLarge() {
        return with(s -> s.skipTooLarge = true);
    }

    /** Sets how long finding the brokers and the topic may take at the beginning; 10 s unless set. */
    public NetioKafkaSink timeout(Duration limit) {
        Duration checked = positive(limit);
        return with(s -> s.timeout = checked);
    }

    /**
     * Sets how long a record may take until it is acknowledged, and so how long brokers may be away; 2 minutes unless set. After
     * that the Flux fails.
     */
    public NetioKafkaSink deliveryTimeout(Duration limit) {
        Duration checked = positive(limit);
        return with(s -> s.deliveryTimeout = checked);
    }

    /** Sets how long closing the producer may take at the end, or after a cancel; 10 s unless set. */
    public NetioKafkaSink closeTimeout(Duration limit) {
        Duration checked = positive(limit);
        return with(s -> s.closeTimeout = checked);
    }

    /**
     * Sets a property of Kafka's producer, such as {@code compression.type}, or of its security.
     *
     * @throws IllegalArgumentException if the sink decides about it
     */
    public NetioKafkaSink property(String name, Object value) {
        String reason = SinkSettings.ITS_OWN.get(name);
        if (reason != null) {
            throw new IllegalArgumentException("the sink decides about " + name + ": " + reason);
        }
        Map<String, Object> all = new LinkedHashMap<>(settings.properties);
        all.put(name, value);
        return with(s -> s.properties = Map.copyOf(all));
    }

    private static Duration positive(Duration limit) {
        if (!limit.isPositive()) {
            throw new IllegalArgumentException("a limit must be longer than nothing: " + limit);
        }
        return limit.compareTo(LONGEST) > 0 ? LONGEST : limit;
    }

    private NetioKafkaSink with(Consumer<SinkSettings> change) {
        SinkSettings changed = settings.copy();
        change.accept(changed);
        return new NetioKafkaSink(changed);
    }

    /**
     * Writes what a sequenced subscription tells. Messages become records, in their order. Gaps and new runs are counted and
     * logged, and show in the sequence headers. The Flux gives an acknowledgement for each message, in the order of the
     * messages. It completes when the upstream has completed and all are acknowledged. Whoever takes only that uses
     * {@code then()}. Acknowledgements that nobody asks for count as in flight.
     */
    public Flux<Acknowledgement> send(Publisher<? extends SequencedEvent> events) {
        return flux(events, SinkEntry::of);
    }

    /**
     * Writes messages without numbers, under the rules of {@link #send}. Payloads are copied before {@code onNext} returns. The
     * records have neither run nor sequence.
     */
    public Flux<Acknowledgement> sendTagged(Publisher<TaggedMessage> messages) {
        return flux(messages, SinkEntry::of);
    }

    /**
     * Writes what {@code subscriber} gets for {@code tags}, and continues behind what the topic has of them already: the number
     * of messages that were published meanwhile is told as a gap. See {@link #lastPosition}.
     */
    public Flux<Acknowledgement> sendFrom(NetioSubscriber subscriber, Tags tags) {
        return send(eventsFrom(subscriber, tags));
    }

    /** What {@link #sendFrom} writes: to merge several tags, which then have one producer. */
    public Flux<SequencedEvent> eventsFrom(NetioSubscriber subscriber, Tags tags) {
        return lastPosition(tags).map(found -> subscriber.subscribeSequenced(tags, found.position()))
                .defaultIfEmpty(subscriber.subscribeSequenced(tags))
                .flatMapMany(Function.identity());
    }

    /**
     * Looks in the topic for the last message of {@code tags} that a sink has written, and for what is missing shortly before it.
     * Reads back from the end of each partition until it has found {@link #inFlight} records of these tags, or the beginning.
     * Empty if the topic has none. Of several runs, the one counts whose last record is the latest by its time header.
     *
     * @throws IllegalStateException if the topic is chosen by tag
     */
    public Mono<KafkaPosition> lastPosition(Tags tags) {
        String topic = settings.topic;
        if (topic == null) {
            throw new IllegalStateException("a position is looked for in one topic: set topic(String)");
        }
        return Mono.fromCallable(() -> new PositionFinder(settings, topic, tags).find())
                .subscribeOn(Schedulers.boundedElastic());
    }

    /** Returns a snapshot of the counters. */
    public KafkaSinkStatistics statistics() {
        return counters.statistics();
    }

    private <T> Flux<Acknowledgement> flux(Publisher<? extends T> upstream, SinkRun.EntryFactory<T> factory) {
        if (settings.topic == null && settings.topics == null) {
            throw new IllegalStateException("the sink has no topic: set one with topic(…)");
        }
        return new Flux<>() {
            @Override
            public void subscribe(CoreSubscriber<? super Acknowledgement> actual) {
                SinkRun<T> run = new SinkRun<>(settings, counters, upstream, factory, actual);
                actual.onSubscribe(run);
                run.start();
            }
        };
    }
}
