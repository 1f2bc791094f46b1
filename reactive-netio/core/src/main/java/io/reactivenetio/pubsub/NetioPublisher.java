// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.pubsub;

import io.reactivenetio.Framing;
import io.reactivenetio.NetioServer;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.api.NetioEncoder;
import io.reactivenetio.api.SlowPolicy;
import io.reactivenetio.api.TaggedMessage;
import io.reactivenetio.api.Tags;
import io.reactivenetio.connection.Connection;
import io.reactivenetio.connection.HeapCopy;
import io.reactivenetio.framing.stream.SharedMessage;
import io.reactivenetio.framing.stream.StreamSession;
import io.reactivenetio.framing.stream.TagService;
import io.reactivenetio.lifecycle.DefaultConnection;
import io.reactivenetio.send.BatchValues;
import io.reactivenetio.send.MessageEncoder;
import io.reactivenetio.transport.backend.Durations;
import io.reactivenetio.transport.backend.LogBudget;
import io.reactivenetio.transport.exceptions.NotSupportedException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import java.util.function.LongFunction;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;

/**
 * Serves streams of messages by 64-bit tag to whoever subscribes to them, see {@link NetioSubscriber}. All methods may be
 * called on any thread.
 *
 * <p>A publisher is a registry of sources. {@code publish} and {@code publishEach} add a source to it, also while it serves, and
 * return the same publisher. In that it differs from servers, clients and subscribers, which are immutable. Its settings do not
 * change: {@link #builder} takes them.
 *
 * <p>A tag has one source. A source for tags of which another source has some is refused with an IllegalArgumentException:
 * {@code Flux.merge} makes one source of two. A shared source that has ended gives its tags away to the next one that is
 * published for them. Until then it tells new subscribers how it ended. To take a shared source away, end it, with
 * {@code takeUntilOther} for instance.
 *
 * <p>A subscription has a queue for each source that it gets messages of. {@link SlowPolicy} says what happens when a queue is
 * full. The publisher's policy applies, unless the subscriber has chosen another. A subscriber is told how many messages were
 * dropped for it.
 *
 * <p>A subscription fails with a {@link io.reactivenetio.transport.exceptions.StreamError}. {@code NOT_SERVED} says that nobody
 * serves the tag. {@code LIMIT} says that a message is larger than the subscriber takes. {@code TOO_SLOW} says that the
 * subscriber was too slow: with BACKPRESSURE it has taken nothing for {@link Builder#stallTimeout} while others of its source
 * waited.
 *
 * <p>Payloads are copied once, however many subscribers there are. The caller owns a published buffer again when {@code onNext}
 * returns.
 */
public final class NetioPublisher implements Disposable {
    /** How many messages of one source wait for a subscriber at most, unless set. */
    public static final int DEFAULT_QUEUE = 256;

    /** How many bytes of messages of one source wait for a subscriber at most, unless set: 16 MiB. */
    public static final long DEFAULT_QUEUE_BYTES = 16L << 20;

    /** How long a shared source waits for a subscriber that takes nothing, unless set. */
    public static final Duration DEFAULT_STALL_TIMEOUT = Duration.ofSeconds(30);

    /** How many tags {@link #retainLast(Tags)} retains the last message of. */
    public static final int DEFAULT_RETAINED_TAGS = 4_096;

    /** How many bytes of messages {@link #retainLast(Tags)} retains together: 64 MiB. */
    public static final long DEFAULT_RETAINED_BYTES = 64L << 20;

    private static final int MOST_QUEUE = 1 << 20;
    private static final int BATCHES_AHEAD = 4;

    /** No message of an encoder is larger, in bytes. What a subscriber takes is as a rule far less. */
    private static final int LARGEST = 1 << 30;

    private final SlowPolicy policy;
    private final int queue;
    private final List<TagSource> sources = new CopyOnWriteArrayList<>();
    private final List<RetainedMessages> retained = new CopyOnWriteArrayList<>();
    private final PublisherCounters counters = new PublisherCounters(LogBudget.of(NetioPublisher.class));
    private final long queueBytes;
    private final long stallNanos;
    private final ByteOrder byteOrder;
    private volatile boolean disposed;

    private NetioPublisher(Builder settings) {
        policy = settings.policy;
        queue = settings.queue;
        queueBytes = settings.queueBytes;
        stallNanos = settings.stallNanos;
        byteOrder = settings.byteOrder;
    }

    /** Creates a publisher with BACKPRESSURE and queues of {@value #DEFAULT_QUEUE} messages. */
    public static NetioPublisher create() {
        return create(SlowPolicy.BACKPRESSURE, DEFAULT_QUEUE);
    }

    /**
     * Creates a publisher.
     *
     * @param policy what happens to subscribers that are slow and wish no other policy
     * @param queue how many messages of one source wait for a subscriber at most; it is rounded up to a power of two
     * @throws IllegalArgumentException if {@code queue} is not 1 to 1,048,576
     */
    public static NetioPublisher create(SlowPolicy policy, int queue) {
        return builder().whenSlow(policy).queue(queue).build();
    }

    /** What {@link #create()} gives, to be changed: how long sources wait, how much waits for a subscriber, the byte order. */
    public static Builder builder() {
        return new Builder(SlowPolicy.BACKPRESSURE, DEFAULT_QUEUE, DEFAULT_QUEUE_BYTES, DEFAULT_STALL_TIMEOUT.toNanos(),
                ByteOrder.BIG_ENDIAN);
    }

    /**
     * Publishes a hot source: all subscribers share {@code messages}. It is subscribed to with the first subscriber and then
     * kept. A subscriber that comes later gets the messages from then on, and before them those that nobody got, although the
     * source was asked for them. The messages are numbered within a run, which changes
     * when the source is published anew. So a subscriber that was away knows how many it has missed, and
     * {@link NetioSubscriber#subscribeSequenced(Tags)} tells the number of each message.
     *
     * <p>If the publisher's policy is BACKPRESSURE, the slowest subscriber with that policy sets the pace, and {@code messages}
     * wait while there is no subscriber. What was asked for, and did not reach the last of them, is kept for the next:
     * {@link PublisherStatistics#kept}. If it is another, {@code messages} go on without subscribers, and a subscriber that
     * wishes BACKPRESSURE is refused with {@code NOT_SERVED}.
     *
     * @return this publisher
     * @throws IllegalArgumentException if the tag has a source already
     */
    public NetioPublisher publish(long tag, Publisher<? extends ByteBuffer> messages) {
        return hot(Tags.of(tag), messages, payload -> new SharedMessage(tag, 0, HeapCopy.of(payload)));
    }

    /**
     * Publishes a hot source of values, under the rules of {@link #publish(long, Publisher)}. {@code encoder} writes each value
     * once, however many subscribers there are, on the thread that emits it and in the {@linkplain Builder#byteOrder byte order
     * of this publisher}. What it throws or does wrong fails the source.
     *
     * @return this publisher
     * @throws IllegalArgumentException if the tag has a source already
     */
    public <T> NetioPublisher publish(long tag, Publisher<? extends T> values, NetioEncoder<? super T> encoder) {
        MessageEncoder<T> encoding = encoding(encoder);
        return hot(Tags.of(tag), values, value -> new SharedMessage(tag, 0, encoding.message(value)));
    }

    /**
     * Publishes a hot source of messages with different tags, under the rules of {@link #publish(long, Publisher)}. All must be
     * within {@code tags}: a message with another tag fails the source. Messages are numbered for subscribers of exactly
     * {@code tags}.
     *
     * @return this publisher
     * @throws IllegalArgumentException if one of the tags has a source already
     */
    public NetioPublisher publish(Tags tags, Publisher<TaggedMessage> messages) {
        return hot(tags, messages, message ->
                new SharedMessage(of(tags, message.tag()), message.status(), HeapCopy.of(message.payload())));
    }

    /**
     * Publishes a hot source of values with different tags, under the rules of {@link #publish(Tags, Publisher)} and
     * {@link #publish(long, Publisher, NetioEncoder)}.
     *
     * @param tag tells the tag of a value, on the thread that emits it
     * @return this publisher
     * @throws IllegalArgumentException if one of the tags has a source already
     */
    public <T> NetioPublisher publish(Tags tags, Publisher<? extends T> values, ToLongFunction<? super T> tag,
            NetioEncoder<? super T> encoder) {
        MessageEncoder<T> encoding = encoding(encoder);
        return hot(tags, values, value -> new SharedMessage(of(tags, tag.applyAsLong(value)), 0, encoding.message(value)));
    }

    /**
     * Publishes a hot source of batches: each value of each batch is a message, in their order, under the rules of {@link
     * #publish(long, Publisher, NetioEncoder)}. It is for sources that emit on another thread than a loop: one signal between
     * threads is for all values of a batch. A few batches are asked for ahead. Nobody may change a batch from its emission on,
     * until its last value was taken. A batch may be empty.
     *
     * @return this publisher
     * @throws IllegalArgumentException if the tag has a source already
     */
    public <T> NetioPublisher publishBatches(long tag, Publisher<? extends Iterable<? extends T>> batches,
            NetioEncoder<? super T> encoder) {
        return publish(tag, BatchValues.<T>of(batches, BATCHES_AHEAD), encoder);
    }

    /**
     * Publishes a hot source of batches of values with different tags, under the rules of
     * {@link #publishBatches(long, Publisher, NetioEncoder)}.
     *
     * @param tag tells the tag of a value, on the thread that emits its batch or asks for more
     * @return this publisher
     * @throws IllegalArgumentException if one of the tags has a source already
     */
    public <T> NetioPublisher publishBatches(Tags tags, Publisher<? extends Iterable<? extends T>> batches,
            ToLongFunction<? super T> tag, NetioEncoder<? super T> encoder) {
        return publish(tags, BatchValues.<T>of(batches, BATCHES_AHEAD), tag, encoder);
    }

    private static long of(Tags tags, long tag) {
        if (!tags.contains(tag)) {
            throw new IllegalArgumentException("a message with tag " + Long.toUnsignedString(tag) + " where there should only"
                    + " be " + tags);
        }
        return tag;
    }

    /**
     * Publishes a cold source: each subscription to one of {@code tags} gets a Publisher of its own. {@code factory} makes it for
     * the tag on the connection's loop, and must not block. The Publisher is asked for no more than the subscriber asks for,
     * whatever the policy, so no message is made in vain. A Publisher that cannot wait needs an {@code onBackpressure…} operator.
     * A subscription to a range or a mask of tags is served only if {@code tags} is a single tag.
     *
     * @return this publisher
     * @throws IllegalArgumentException if one of the tags has a source already
     */
    public NetioPublisher publishEach(Tags tags, LongFunction<? extends Publisher<? extends ByteBuffer>> factory) {
        return add(new ColdSource<ByteBuffer>(tags, factory, HeapCopy::of, queueBytes, counters));
    }

    /**
     * Publishes a cold source of values, under the rules of {@link #publishEach(Tags, LongFunction)}. {@code encoder} writes the
     * values of all subscriptions, several at a time, as {@link #publish(long, Publisher, NetioEncoder)} has it.
     *
     * @return this publisher
     * @throws IllegalArgumentException if one of the tags has a source already
     */
    public <T> NetioPublisher publishEach(Tags tags, LongFunction<? extends Publisher<? extends T>> factory,
            NetioEncoder<? super T> encoder) {
        MessageEncoder<T> encoding = encoding(encoder);
        return add(new ColdSource<T>(tags, factory, encoding::message, queueBytes, counters));
    }

    /**
     * Retains the last message of each of these tags, of {@value #DEFAULT_RETAINED_TAGS} tags and 64 MiB at most. See
     * {@link #retainLast(Tags, int, long)}.
     *
     * @return this publisher
     */
    public NetioPublisher retainLast(Tags tags) {
        return retainLast(tags, DEFAULT_RETAINED_TAGS, DEFAULT_RETAINED_BYTES);
    }

    /**
     * Retains the last message of each of these tags, for tags that are states: a temperature, a setting, a mode. Who subscribes
     * later gets that message at once, and then goes on with those that follow. It is as a retained message of MQTT, or the value
     * that a monitor of EPICS begins with. It applies to shared sources that are published from now on. A source is not asked
     * for anything on account of it: with BACKPRESSURE there is no last message before the first subscriber.
     *
     * <p>A subscription to several tags begins with the last message of each, in the order in which they were published. One that
     * connects again gets the last message again, which it may have had; {@link NetioSubscriber#subscribeSequenced(Tags)} leaves
     * out what it has had, and tells a {@link Gap} where messages of other tags are between those that it begins with.
     *
     * <p>What a source has retained is forgotten when another source takes its place.
     *
     * @param mostTags of how many tags; beyond that, the tags are forgotten that have not changed for longest
     * @param mostBytes how many bytes of messages together; beyond that likewise. Of a larger message nothing is retained
     * @return this publisher
     * @throws IllegalArgumentException if {@code mostTags} or {@code mostBytes} is not positive, or some of these tags are
     *     retained already
     * @throws IllegalStateException if one of these tags has a shared source already
     */
    public synchronized NetioPublisher retainLast(Tags tags, int mostTags, long mostBytes) {
        if (mostTags < 1 || mostBytes < 1) {
            throw new IllegalArgumentException("to retain last messages takes room for at least 1 tag and 1 byte: " + mostTags
                    + " tags, " + mostBytes + " bytes");
        }
        if (retained.stream().anyMatch(each -> each.tags().overlaps(tags))) {
            throw new IllegalArgumentException("last messages of some of " + tags + " are retained already");
        }
        if (sources.stream().anyMatch(source -> source.isShared() && source.tags().overlaps(tags))) {
            throw new IllegalStateException("call retainLast before " + tags + " are published: what there was before is gone");
        }
        retained.add(new RetainedMessages(tags, mostTags, mostBytes));
        return this;
    }

    /**
     * Publishes at {@code tag} which tags this publisher publishes: {@link NetioSubscriber#publishedTags} gets the tags of each
     * shared source that has not ended when it subscribes, and then the end. A tag that peers agree on beforehand so tells them
     * all others.
     *
     * @return this publisher
     * @throws IllegalArgumentException if the tag has a source already
     */
    public NetioPublisher publishTags(long tag) {
        return publishEach(Tags.of(tag), each -> Flux.fromStream(sources::stream)
                .filter(source -> source.isShared() && !source.isOver())
                .map(source -> TagsMessage.of(source.tags())));
    }

    private <T> MessageEncoder<T> encoding(NetioEncoder<? super T> encoder) {
        return new MessageEncoder<>(encoder, byteOrder, LARGEST, "publish less");
    }

    private <T> NetioPublisher hot(Tags tags, Publisher<? extends T> publisher, Function<? super T, SharedMessage> toMessage) {
        return add(new HotSource<T>(tags, publisher, toMessage, policy, queue, queueBytes, stallNanos,
                counters, retained(tags)));
    }

    private List<RetainedMessages> retained(Tags tags) {
        return retained.stream().filter(each -> each.tags().overlaps(tags)).toList();
    }

    private synchronized NetioPublisher add(TagSource source) {
        List<TagSource> others = sources.stream().filter(other -> other.tags().overlaps(source.tags())).toList();
        for (TagSource other : others) {
            if (!other.isOver()) {
                throw new IllegalArgumentException("cannot publish a " + name(source) + ": there is a " + name(other)
                        + " already, and a tag has one source. Make one of both, with Flux.merge, or give them other tags");
            }
        }
        sources.removeAll(others);
        others.forEach(TagSource::retire);
        sources.add(source);
        return this;
    }

    private static String name(TagSource source) {
        return (source.isShared() ? "shared source for " : "source for each subscriber of ") + source.tags();
    }

    /** Returns {@code server} with {@link NetioServer#streamFraming}, serving this publisher's tags on each connection. */
    public NetioServer serve(NetioServer server) {
        return server.framing(server.streamFraming()).doOnConnection(this::serve);
    }

    /**
     * Serves this publisher's tags on {@code connection}. Subscriptions that the peer has made before are not affected, so call
     * it in {@code doOnConnection} or {@code doOnConnected}.
     *
     * @throws NotSupportedException unless the connection has {@link Framing#stream}
     */
    public void serve(NetioConnection connection) {
        Connection engine = DefaultConnection.of(connection).engine();
        if (!(engine.session() instanceof StreamSession session)) {
            throw new NotSupportedException(connection
                    + " has no streams: configure framing(Framing.stream()) on both sides");
        }
        TagService service = (wanted, wished) -> source(wanted, wished != null ? wished : policy);
        if (engine.loop().inEventLoop()) {
            session.serve(service);
        } else {
            engine.loop().execute(() -> session.serve(service));
        }
    }

    private @Nullable SubscriptionSource source(Tags wanted, SlowPolicy agreed) {
        List<TagSource> matching = sources.stream().filter(source -> source.serves(wanted)).toList();
        return matching.isEmpty() || disposed ? null : new SubscriptionSource(this, matching, wanted, agreed);
    }

    int queue() {
        return queue;
    }

    long queueBytes() {
        return queueBytes;
    }

    PublisherCounters counters() {
        return counters;
    }

    /** Returns a snapshot of the counters. */
    public PublisherStatistics statistics() {
        return counters.statistics(sources.stream().mapToLong(TagSource::published).sum(),
                sources.stream().mapToLong(TagSource::kept).sum());
    }

    /**
     * Stops serving. Shared sources are cancelled, and their subscribers fail with {@code SHUT_DOWN}, behind the
     * messages that wait for them.
     */
    @Override
    public void dispose() {
        disposed = true;
        sources.forEach(TagSource::close);
        sources.forEach(TagSource::retire);
    }

    @Override
    public boolean isDisposed() {
        return disposed;
    }

    /** The settings of a publisher. Immutable: each method returns a changed copy. Any thread. */
    public static final class Builder {
        private final SlowPolicy policy;
        private final int queue;
        private final long queueBytes;
        private final long stallNanos;
        private final ByteOrder byteOrder;

        private Builder(SlowPolicy policy, int queue, long queueBytes, long stallNanos, ByteOrder byteOrder) {
            this.policy = policy;
            this.queue = queue;
            this.queueBytes = queueBytes;
            this.stallNanos = stallNanos;
            this.byteOrder = byteOrder;
        }

        /** What happens to subscribers that are slow and wish no other policy. BACKPRESSURE unless set. */
        public Builder whenSlow(SlowPolicy value) {
            return new Builder(Objects.requireNonNull(value, "policy"), queue, queueBytes, stallNanos, byteOrder);
        }

        /**
         * How many messages of one source wait for a subscriber at most; it is rounded up to a power of two.
         * {@value #DEFAULT_QUEUE} unless set.
         *
         * @throws IllegalArgumentException if it is not 1 to 1,048,576
         */
        public Builder queue(int messages) {
            if (messages < 1 || messages > MOST_QUEUE) {
                throw new IllegalArgumentException("a queue must have room for 1 to " + MOST_QUEUE + " messages: " + messages);
            }
            return new Builder(policy, messages == 1 ? 1 : Integer.highestOneBit(messages - 1) << 1, queueBytes, stallNanos,
                    byteOrder);
        }

        /**
         * How many bytes of one source's messages wait for a subscriber at most; 16 MiB unless set. One message waits, however
         * large it is. A source that waits is asked for as many messages as have room by the size of those that came: for one at
         * first, and then for more. It may exceed the limit by what it was asked for when its messages grow all of a sudden.
         * Under the other policies a message that has no room is treated as one that finds the queue full. A message that waits
         * for several subscribers is in memory once.
         *
         * @throws IllegalArgumentException if it is not positive
         */
        public Builder queueBytes(long bytes) {
            if (bytes < 1) {
                throw new IllegalArgumentException("a queue must have room for at least 1 byte: " + bytes);
            }
            return new Builder(policy, queue, bytes, stallNanos, byteOrder);
        }

        /**
         * How long a shared source waits with BACKPRESSURE for a subscriber that takes nothing while other subscribers of that
         * source wait for more; 30 s unless set. It takes nothing if it requests nothing or cannot be reached. After that time
         * its stream fails with {@code TOO_SLOW}. It may take a quarter longer until that is noticed. A subscriber is never ended
         * if no other waits for it.
         *
         * @throws IllegalArgumentException if it is not positive
         */
        public Builder stallTimeout(Duration limit) {
            if (limit.isNegative() || limit.isZero()) {
                throw new IllegalArgumentException("the stall timeout must be longer than nothing: " + limit);
            }
            return new Builder(policy, queue, queueBytes, Durations.nanos(limit), byteOrder);
        }

        /**
         * The byte order in which encoders write; big-endian unless set. It is one for all connections, as values of a shared
         * source are written once. Subscribers read them in the byte order of their client.
         */
        public Builder byteOrder(ByteOrder order) {
            return new Builder(policy, queue, queueBytes, stallNanos, Objects.requireNonNull(order, "byteOrder"));
        }

        /** A publisher with these settings, and without a source. */
        public NetioPublisher build() {
            return new NetioPublisher(this);
        }
    }
}
