// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.pubsub;

import io.reactivenetio.Framing;
import io.reactivenetio.NetioConnection;
import io.reactivenetio.NetioServer;
import io.reactivenetio.TaggedMessage;
import io.reactivenetio.connection.Connection;
import io.reactivenetio.connection.ConnectionAccess;
import io.reactivenetio.connection.HeapCopy;
import io.reactivenetio.framing.stream.SharedMessage;
import io.reactivenetio.framing.stream.StreamSession;
import io.reactivenetio.framing.stream.TagService;
import io.reactivenetio.transport.exceptions.NotSupportedException;
import io.reactivenetio.wire.TagPattern;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.Disposable;

/**
 * Serves streams of messages by 64-bit tag to whoever subscribes to them, see {@link NetioSubscriber}. All methods may be
 * called on any thread.
 *
 * <p>A subscription has a queue for each source that it gets messages of. {@link SlowPolicy} says what happens when a queue is
 * full. The publisher's policy counts, unless the subscriber wishes another. A subscriber is told how many messages were dropped
 * for it.
 *
 * <p>A subscription fails with a code of docs/wire-format.md. Code 3 says that nobody serves the tag. Code 4 says that a
 * message is larger than the subscriber takes. Code 5 says that the subscriber was too slow: with BACKPRESSURE it has taken
 * nothing for {@link #patience} while others of its source waited.
 *
 * <p>Payloads are copied once, however many subscribers there are. The caller owns a published buffer again when {@code onNext}
 * returns.
 */
public final class NetioPublisher implements Disposable {
    /** How many messages of one source wait for a subscriber at most, unless set. */
    public static final int DEFAULT_QUEUE = 256;

    /** How long a shared source waits for a subscriber that takes nothing, unless set. */
    public static final Duration DEFAULT_PATIENCE = Duration.ofSeconds(30);

    private static final int MOST_QUEUE = 1 << 20;

    private final SlowPolicy policy;
    private final int queue;
    private final List<TagSource> sources = new CopyOnWriteArrayList<>();
    private final PublisherCounters counters = new PublisherCounters();
    private volatile long patienceNanos = DEFAULT_PATIENCE.toNanos();
    private volatile boolean disposed;

    private NetioPublisher(SlowPolicy policy, int queue) {
        this.policy = policy;
        this.queue = queue;
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
        if (queue < 1 || queue > MOST_QUEUE) {
            throw new IllegalArgumentException("a queue must be of 1 to " + MOST_QUEUE + " messages: " + queue);
        }
        return new NetioPublisher(policy, queue == 1 ? 1 : Integer.highestOneBit(queue - 1) << 1);
    }

    /**
     * Publishes a hot source: all subscribers share {@code messages}. It is subscribed to with the first subscriber and then
     * kept. A subscriber that comes later gets the messages from then on. The messages are numbered, so that a subscriber that
     * was away knows how many it has missed.
     *
     * <p>If the publisher's policy is BACKPRESSURE, the slowest subscriber with that policy sets the pace, and {@code messages}
     * wait while there is no subscriber. If it is another, {@code messages} go on without subscribers, and a subscriber that
     * wishes BACKPRESSURE is refused with code 3.
     *
     * @return this publisher
     */
    public NetioPublisher publish(long tag, Publisher<? extends ByteBuffer> messages) {
        return add(new HotSource<ByteBuffer>(TagPattern.exact(tag), messages,
                payload -> new SharedMessage(tag, 0, HeapCopy.of(payload)), policy, queue, () -> patienceNanos));
    }

    /**
     * Publishes a hot source of messages with different tags, under the rules of {@link #publish(long, Publisher)}. All must be
     * within {@code tags}: a message with another tag fails the source. Messages are numbered for subscribers of exactly
     * {@code tags}.
     *
     * @return this publisher
     */
    public NetioPublisher publish(Tags tags, Publisher<TaggedMessage> messages) {
        return add(new HotSource<TaggedMessage>(tags.pattern(), messages, message -> {
            if (!tags.contains(message.tag())) {
                throw new IllegalArgumentException("a message with tag " + Long.toUnsignedString(message.tag())
                        + " where there should only be " + tags);
            }
            return new SharedMessage(message.tag(), message.status(), HeapCopy.of(message.payload()));
        }, policy, queue, () -> patienceNanos));
    }

    /**
     * Publishes a cold source: each subscription to one of {@code tags} gets a Publisher of its own. {@code factory} makes it for
     * the tag on the connection's loop, and must not block. The Publisher is asked for no more than the subscriber asks for,
     * whatever the policy, so no message is made in vain. A Publisher that cannot wait needs an {@code onBackpressure…} operator.
     * A subscription to a range or a mask of tags is served only if {@code tags} is a single tag.
     *
     * @return this publisher
     */
    public NetioPublisher publishEach(Tags tags, LongFunction<? extends Publisher<? extends ByteBuffer>> factory) {
        return add(new ColdSource(tags.pattern(), factory));
    }

    /**
     * Sets how long a shared source waits with BACKPRESSURE for a subscriber that takes nothing while other subscribers of that
     * source wait for more; 30 s unless set. It takes nothing if it requests nothing or cannot be reached. After that time its
     * stream fails with code 5 of docs/wire-format.md. It may take a quarter longer until that is noticed. A subscriber is never
     * ended if no other waits for it.
     *
     * @return this publisher, whose patience is changed
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

    /** Returns {@code server} with {@link Framing#STREAM}, serving this publisher's tags on each connection. */
    public NetioServer serve(NetioServer server) {
        return server.framing(Framing.STREAM).doOnConnection(this::serve);
    }

    /**
     * Serves this publisher's tags on {@code connection}. Subscriptions that the peer has made before are not affected, so call
     * it in {@code doOnConnection} or {@code doOnConnected}.
     *
     * @throws NotSupportedException unless the connection has {@link Framing#STREAM}
     */
    public void serve(NetioConnection connection) {
        Connection flow = ConnectionAccess.of(connection);
        if (!(flow.session() instanceof StreamSession session)) {
            throw new NotSupportedException(connection
                    + " has no streams: configure framing(Framing.STREAM) on both sides");
        }
        TagService service = (wanted, wished) -> feed(wanted, SlowPolicy.of(wished, policy));
        if (flow.loop().inEventLoop()) {
            session.serve(service);
        } else {
            flow.loop().execute(() -> session.serve(service));
        }
    }

    private @Nullable SubscriptionSource feed(TagPattern wanted, SlowPolicy agreed) {
        List<TagSource> matching = sources.stream().filter(source -> source.serves(wanted)).toList();
        return matching.isEmpty() || disposed ? null : new SubscriptionSource(this, matching, wanted, agreed);
    }

    int queue() {
        return queue;
    }

    PublisherCounters counters() {
        return counters;
    }

    /** Returns a snapshot of the counters. */
    public PublisherStatistics statistics() {
        return counters.statistics(sources.stream().mapToLong(TagSource::published).sum());
    }

    /** Stops serving. Shared sources are cancelled, and their subscribers fail with code 7 of docs/wire-format.md. */
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
