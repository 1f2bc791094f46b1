// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import io.reactivenetio.stream.OutMessage;
import io.reactivenetio.stream.StreamTraffic;
import io.reactivenetio.transport.NotSupportedException;
import io.reactivenetio.wire.TagPattern;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.Disposable;

/**
 * Serves streams of messages by 64-bit tag to whoever subscribes to them, see {@link NetioSubscriber}. Any thread.
 *
 * <p>Every subscription has a queue for each source it gets messages of. {@link SlowPolicy} says what happens when that is full:
 * the publisher's, unless the subscriber wishes another. A subscriber is told how many messages were dropped for it. A
 * subscription to a tag that nobody serves fails with code 3 of docs/wire-format.md. Under BACKPRESSURE a subscriber that keeps
 * the others of its source waiting and takes nothing is ended after {@link #patience}, with code 5.
 *
 * <p>Payloads are copied once, however many subscribers there are; a buffer that was published is the caller's again when its
 * {@code onNext} returns. A message larger than a subscriber takes fails its subscription, code 4.
 */
public final class NetioPublisher implements Disposable {
    /** Messages that wait for a subscriber, unless set. */
    public static final int DEFAULT_QUEUE = 256;

    /** How long a shared source waits for a subscriber that takes nothing, unless set. */
    public static final Duration DEFAULT_PATIENCE = Duration.ofSeconds(30);

    private static final Logger LOG = LoggerFactory.getLogger(NetioPublisher.class);

    private static final int MOST_QUEUE = 1 << 20;

    private final SlowPolicy policy;
    private final int queue;
    private final List<TagSource> sources = new CopyOnWriteArrayList<>();
    private final AtomicInteger subscribers = new AtomicInteger();
    private final LongAdder dropped = new LongAdder();
    private final AtomicLong tooSlow = new AtomicLong();
    private volatile long patienceNanos = DEFAULT_PATIENCE.toNanos();
    private volatile boolean disposed;

    private NetioPublisher(SlowPolicy policy, int queue) {
        this.policy = policy;
        this.queue = queue;
    }

    /** With BACKPRESSURE and queues of {@value #DEFAULT_QUEUE} messages. */
    public static NetioPublisher create() {
        return create(SlowPolicy.BACKPRESSURE, DEFAULT_QUEUE);
    }

    /**
     * {@code policy} for subscribers that wish no other.
     *
     * @param queue how many messages of one source wait for a subscriber; it is rounded up to a power of two
     * @throws IllegalArgumentException if that is not 1 to 1,048,576
     */
    public static NetioPublisher create(SlowPolicy policy, int queue) {
        if (queue < 1 || queue > MOST_QUEUE) {
            throw new IllegalArgumentException("a queue must be of 1 to " + MOST_QUEUE + " messages: " + queue);
        }
        return new NetioPublisher(policy, queue == 1 ? 1 : Integer.highestOneBit(queue - 1) << 1);
    }

    /**
     * Hot: all subscribers share {@code messages}, which is subscribed to with the first and then kept. Who comes later gets what
     * comes later. The messages are numbered, so that a subscriber that was away knows how many it has missed. The slowest
     * subscriber with BACKPRESSURE sets the pace; it is refused, with code 3, if that is not the publisher's policy, too. When
     * there is no subscriber, {@code messages} wait if that is the publisher's policy, and else go on.
     */
    public NetioPublisher publish(long tag, Publisher<? extends ByteBuffer> messages) {
        return add(new HotSource<ByteBuffer>(TagPattern.exact(tag), messages,
                payload -> new OutMessage(tag, 0, copy(payload)), policy, queue, () -> patienceNanos));
    }

    /**
     * The same for messages that say their tag, all within {@code tags}: another tag fails the source. They are numbered for
     * subscribers of exactly {@code tags}.
     */
    public NetioPublisher publish(Tags tags, Publisher<TaggedMessage> messages) {
        return add(new HotSource<TaggedMessage>(tags.pattern(), messages, message -> {
            if (!tags.contains(message.tag())) {
                throw new IllegalArgumentException("a message with tag " + Long.toUnsignedString(message.tag())
                        + " where there should only be " + tags);
            }
            return new OutMessage(message.tag(), message.status(), copy(message.payload()));
        }, policy, queue, () -> patienceNanos));
    }

    /**
     * Cold: each subscription to one of {@code tags} gets a Publisher of its own, made for that tag on the connection's loop. It
     * is asked for no more than the subscriber asks for, with every policy, so that nothing is made for nobody; one that cannot
     * wait needs an {@code onBackpressure…} operator. A subscription to a range or pattern gets it only where {@code tags} is a
     * single one.
     */
    public NetioPublisher publishEach(Tags tags, LongFunction<? extends Publisher<? extends ByteBuffer>> factory) {
        return add(new ColdSource(tags.pattern(), factory));
    }

    /**
     * How long a shared source waits with BACKPRESSURE for a subscriber that takes nothing, because it requests nothing or
     * cannot be reached, while other subscribers of that source wait for more: then its stream fails with code 5 of
     * docs/wire-format.md. 30 s unless set; it may take a quarter longer until that is noticed. A subscriber that nobody else
     * waits for is never ended.
     *
     * @throws IllegalArgumentException if it is not positive
     */
    public NetioPublisher patience(Duration limit) {
        if (limit.isNegative() || limit.isZero()) {
            throw new IllegalArgumentException("the patience must be longer than nothing: " + limit);
        }
        patienceNanos = limit.compareTo(Duration.ofNanos(Long.MAX_VALUE)) > 0 ? Long.MAX_VALUE : limit.toNanos();
        return this;
    }

    private NetioPublisher add(TagSource source) {
        sources.add(source);
        return this;
    }

    /** A server with {@link Framing#STREAM} that serves these tags on each connection. */
    public NetioServer serve(NetioServer server) {
        return server.framing(Framing.STREAM).doOnConnection(this::serve);
    }

    /**
     * Serves them on this connection too. What the peer has subscribed to already is not affected: call it in
     * {@code doOnConnection} or {@code doOnConnected}.
     *
     * @throws NotSupportedException unless the connection has {@link Framing#STREAM}
     */
    public void serve(NetioConnection connection) {
        if (!(connection.flow().traffic() instanceof StreamTraffic traffic)) {
            throw new NotSupportedException(connection
                    + " has no streams: configure framing(Framing.STREAM) on both sides");
        }
        if (connection.flow().loop().inEventLoop()) {
            traffic.serve(this::feed);
        } else {
            connection.flow().loop().execute(() -> traffic.serve(this::feed));
        }
    }

    private @Nullable PublishedFeed feed(TagPattern wanted, io.reactivenetio.wire.SlowPolicy wished) {
        List<TagSource> matching = sources.stream().filter(source -> source.serves(wanted)).toList();
        return matching.isEmpty() || disposed ? null
                : new PublishedFeed(this, matching, wanted, SlowPolicy.of(wished, policy));
    }

    static ByteBuffer copy(ByteBuffer payload) {
        int bytes = payload.remaining();
        return ByteBuffer.allocate(bytes).put(0, payload, payload.position(), bytes);
    }

    int queue() {
        return queue;
    }

    void joined() {
        subscribers.incrementAndGet();
    }

    void left() {
        subscribers.decrementAndGet();
    }

    void dropped(long messages) {
        dropped.add(messages);
    }

    /** A subscription is ended for that. */
    void tooSlow(Tags tags, String text) {
        tooSlow.incrementAndGet();
        LOG.warn("a subscription to {} is ended: {}", tags, text);
    }

    /** A snapshot of the counters. */
    public PublisherStatistics statistics() {
        return new PublisherStatistics(subscribers.get(), dropped.sum(), tooSlow.get());
    }

    /** Serves nothing any more: shared sources are cancelled, their subscribers fail with code 7 of docs/wire-format.md. */
    @Override
    public void dispose() {
        disposed = true;
        sources.forEach(TagSource::close);
    }

    @Override
    public boolean isDisposed() {
        return disposed;
    }
}
