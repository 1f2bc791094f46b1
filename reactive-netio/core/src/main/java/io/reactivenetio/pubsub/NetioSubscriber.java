// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.pubsub;

import io.reactivenetio.NetioClient;
import io.reactivenetio.api.ConnectionState;
import io.reactivenetio.api.Lease;
import io.reactivenetio.api.MessageBatch;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.api.NetioInbound;
import io.reactivenetio.api.SlowPolicy;
import io.reactivenetio.api.TaggedDecoder;
import io.reactivenetio.api.TaggedMessage;
import io.reactivenetio.api.Tags;
import io.reactivenetio.connection.Connection;
import io.reactivenetio.connection.HeapCopy;
import io.reactivenetio.diagnostics.UserCode;
import io.reactivenetio.framing.stream.Prefetch;
import io.reactivenetio.framing.stream.StreamSession;
import io.reactivenetio.framing.stream.SubscriptionListener;
import io.reactivenetio.lifecycle.DefaultConnection;
import io.reactivenetio.lifecycle.DefaultSharedConnection;
import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.receive.Inbound;
import io.reactivenetio.transport.exceptions.BackendUnavailableException;
import io.reactivenetio.transport.exceptions.NetioException;
import io.reactivenetio.transport.exceptions.NetioProtocolException;
import io.reactivenetio.transport.exceptions.NetioStreamException;
import io.reactivenetio.transport.exceptions.StreamError;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.retry.Retry;

/**
 * Subscribes to what a {@link NetioPublisher} serves. All subscriptions that are active at a time share one connection. It is
 * made with the first and closed with the last. Each subscription has a demand of its own. A subscriber is immutable: each
 * setting returns a changed copy, which has a connection of its own. All methods may be called on any thread. Signals come on
 * the connection's loop.
 *
 * <p>A Flux fails with a {@link NetioStreamException} when the publisher ends it. Its {@link StreamError} says why: {@code
 * NOT_SERVED} says that nobody serves this tag, or not with this policy. A Flux fails with another {@link NetioException} when
 * the connection is lost or cannot be made. {@link #reconnect} is for that.
 */
public final class NetioSubscriber {
    private final NetioClient client;
    private final @Nullable SlowPolicy policy;
    private final @Nullable Retry retry;
    private final @Nullable Function<Flux<Long>, ? extends Publisher<?>> repeat;
    private final SubscriberHooks hooks;
    /** Null: that of the client. */
    private final @Nullable Prefetch prefetch;
    private final DefaultSharedConnection shared;
    private final SubscriberCounters counters;

    private NetioSubscriber(NetioClient client, @Nullable SlowPolicy policy, @Nullable Retry retry,
            @Nullable Function<Flux<Long>, ? extends Publisher<?>> repeat, SubscriberHooks hooks, @Nullable Prefetch prefetch) {
        this.client = client.framing(client.streamFraming()); // a client of its own, with states of its own
        this.policy = policy;
        this.retry = retry;
        this.repeat = repeat;
        this.hooks = hooks;
        this.prefetch = prefetch;
        this.shared = new DefaultSharedConnection(Mono.defer(this.client::connect));
        this.counters = new SubscriberCounters(shared);
    }

    /** The same, over the same connection, with other hooks and another prefetch. */
    private NetioSubscriber(NetioSubscriber same, SubscriberHooks hooks, @Nullable Prefetch prefetch) {
        this.client = same.client;
        this.policy = same.policy;
        this.retry = same.retry;
        this.repeat = same.repeat;
        this.hooks = hooks;
        this.prefetch = prefetch;
        this.shared = same.shared;
        this.counters = same.counters;
    }

    /** Creates a subscriber to the publisher that {@code client} connects to. It uses {@link NetioClient#streamFraming}. */
    public static NetioSubscriber create(NetioClient client) {
        return new NetioSubscriber(client, null, null, null, SubscriberHooks.NONE, null);
    }

    /**
     * Wishes what the publisher does when this side is slow. Unless set, the publisher does what it is configured to do. A
     * publisher with another policy refuses BACKPRESSURE, with {@code NOT_SERVED}, where subscribers share a source: all of them
     * would wait.
     */
    public NetioSubscriber whenSlow(SlowPolicy wished) {
        return new NetioSubscriber(client, wished, retry, repeat, hooks, prefetch);
    }

    /**
     * Returns this subscriber with a prefetch of its own: its streams ask the publisher for up to {@code messages} more than is
     * requested of them, and with 0 for exactly that. {@link io.reactivenetio.api.NetioStream#prefetch(int)} says more. Unless
     * set, it is the client's, and adapts if that is not set either; for a policy that drops, it is 0 then. Unlike other
     * settings, this returns a subscriber that shares the connection and the statistics of this one.
     *
     * @throws IllegalArgumentException if {@code messages} is negative
     */
    public NetioSubscriber prefetch(int messages) {
        return new NetioSubscriber(this, hooks, Prefetch.of(messages));
    }

    /**
     * Connects and subscribes again, as {@code when} says, after every {@linkplain #isTransient transient} failure. {@code when}
     * is asked about no other failure. A stream that is complete is not subscribed to again: {@link #repeat} does that. The log
     * says with the first of several failures that it tries again, and later that it is back.
     */
    public NetioSubscriber reconnect(Retry when) {
        return reconnect(when, NetioSubscriber::isTransient);
    }

    /**
     * Subscribes again to a stream that is complete, as {@code when} says, which is that of {@link Flux#repeatWhen}: for sources
     * that end with a run of measurements, and are published anew with the next. Each subscription knows where it was. So what
     * the next run has published before it is there is counted and told as missed, and {@link #subscribeSequenced(Tags)} has the
     * {@link RunChange} and the exact {@link Gap}. {@code repeat} of the Flux itself tells that of {@code subscribeSequenced}
     * only. While nobody publishes the next run, the stream fails with {@code NOT_SERVED}: {@link #reconnect} is for that.
     *
     * <p>{@code completions -> completions.delayElements(Duration.ofMillis(100))} subscribes again after 100 ms, for ever. Each
     * completion is the number of messages that were received since the last one.
     */
    public NetioSubscriber repeat(Function<Flux<Long>, ? extends Publisher<?>> when) {
        return new NetioSubscriber(client, policy, retry, Objects.requireNonNull(when, "when"), hooks, prefetch);
    }

    /** Connects and subscribes again, as {@code when} says, after the failures for which {@code which} is true. */
    public NetioSubscriber reconnect(Retry when, Predicate<? super Throwable> which) {
        return new NetioSubscriber(client, policy, new Retry(when.retryContext()) {
            @Override
            public Publisher<?> generateCompanion(Flux<RetrySignal> signals) {
                return when.generateCompanion(signals.handle((signal, sink) -> {
                    if (asked(which, signal.failure())) {
                        sink.next(signal);
                    } else {
                        sink.error(signal.failure());
                    }
                }));
            }
        }, repeat, hooks, prefetch);
    }

    private static boolean asked(Predicate<? super Throwable> which, Throwable failure) {
        try {
            return which.test(failure);
        } catch (Throwable t) { // the user's
            throw UserCode.rethrown(t);
        }
    }

    /**
     * Whether a subscription that failed like this may succeed later, with nothing changed on this side:
     * <ul>
     * <li>the connection is lost, or cannot be made because nobody listens there, or not yet;
     * <li>nobody serves the tag, or not yet ({@code NOT_SERVED}), which is also what a publisher answers that does not
     *     serve the wished policy;
     * <li>the publisher shuts down or was disposed of ({@code SHUT_DOWN});
     * <li>the server has not let this side in, which may be for whom it asks about its clients.
     * </ul> All other failures would come again: the source has failed (2), a limit (4), too slow (5), no right to the tag (8), a
     * peer that breaks the rules or is another program, a backend that is not there.
     */
    public static boolean isTransient(Throwable failure) {
        if (failure instanceof NetioStreamException ended) {
            return ended.error() == StreamError.SHUT_DOWN || ended.error() == StreamError.NOT_SERVED;
        }
        return failure instanceof NetioException && !(failure instanceof NetioProtocolException)
                && !(failure instanceof BackendUnavailableException);
    }

    /**
     * Calls {@code consumer} on the loop when messages are known to have been missed, at most ten times per second for each
     * subscription. {@link #doOnMissed(Duration, Consumer)} says the rest.
     */
    public NetioSubscriber doOnMissed(Consumer<? super Missed> consumer) {
        return doOnMissed(MissedRule.DEFAULT_INTERVAL, consumer);
    }

    /**
     * Calls {@code consumer} on the loop when messages are known to have been missed, once per {@code interval} at most: at once
     * if the last call is longer ago, and otherwise when the interval is over, with the sums of all that was missed meanwhile.
     * With {@link Duration#ZERO} it is called each time. Each subscription is told by itself, and with several tags subscribed
     * to at once, each tag. When a stream or its connection ends, the consumer is told what it has not been told, before the
     * subscriber hears of the end. So the sums of all calls leave nothing out. {@link #statistics} counts everything at once.
     *
     * <p>The consumer must not block. What it throws is logged, and the messages go on. Several consumers are called in the order
     * in which they were added, each in its own interval.
     *
     * @throws IllegalArgumentException if the interval is negative
     */
    public NetioSubscriber doOnMissed(Duration interval, Consumer<? super Missed> consumer) {
        return with(hooks.andMissed(MissedRule.of(interval, consumer)));
    }

    /**
     * Calls {@code consumer} on the loop when the publisher says that a subscription is slow, about once per second while it is,
     * and when it has caught up. It must not block. What it throws is logged. A publisher says so since version 0.1 of this
     * library; others need not.
     */
    public NetioSubscriber doOnSlow(Consumer<? super Slow> consumer) {
        return with(hooks.andSlow(Objects.requireNonNull(consumer, "consumer")));
    }

    /**
     * Calls {@code consumer} on the loop when a subscription finds that its source has begun anew, as after a restart of the
     * publisher. Nobody knows how many messages of the former run were published after the last one that came. What was published
     * of the new run is told as missed. A subscription knows that if the publisher numbers its messages: it has exactly the tags
     * of one {@code publish}. It must not block. What it throws is logged.
     */
    public NetioSubscriber doOnRunChange(Consumer<? super RunChange> consumer) {
        return with(hooks.andRunChange(Objects.requireNonNull(consumer, "consumer")));
    }

    /**
     * Calls {@code consumer} with the connection that a subscription is made on, before its first message, and again when {@link
     * #reconnect} or {@link #repeat} subscribes anew: {@link NetioConnection#principal} says who the publisher is, and messages
     * are from there until the next call. It is called for each stream, so with several tags for each, on the thread that
     * subscribes or the loop, and must not block. What it throws is logged. Like {@link #prefetch}, and unlike other settings,
     * this returns a subscriber that shares the connection and the statistics of this one.
     */
    public NetioSubscriber doOnSubscribed(Consumer<? super NetioConnection> consumer) {
        return new NetioSubscriber(this, hooks.andSubscribed(Objects.requireNonNull(consumer, "consumer")), prefetch);
    }

    private NetioSubscriber with(SubscriberHooks changed) {
        return new NetioSubscriber(client, policy, retry, repeat, changed, prefetch);
    }

    /**
     * Subscribes to each of these tags, on a stream of its own, and merges the messages. Those of one tag keep their order. The
     * Flux completes when all streams have. With {@link #reconnect}, each tag is tried again by itself, and asks {@code when} by
     * itself: while one is not served, the others go on. The first tag that is not tried again fails the Flux.
     *
     * @throws IllegalArgumentException if there is no tag, or one twice
     */
    public Flux<TaggedMessage> subscribe(long... tags) {
        return subscribe(HeapCopy::tagged, tags);
    }

    /** Subscribes to these tags on one stream. The messages come in the order in which the publisher sends them. */
    public Flux<TaggedMessage> subscribe(Tags tags) {
        return subscribe(HeapCopy::tagged, tags);
    }

    /**
     * Subscribes to each of these tags, as {@link #subscribe(long...)} does, and receives what {@code decoder} makes of each
     * message, under the rules of {@link NetioInbound#receive(Function)}: it is called on the loop, with a buffer that it must
     * not keep, in the byte order of the client. If it throws, or returns null, the Flux fails, and all its streams are
     * cancelled.
     *
     * @throws IllegalArgumentException if there is no tag, or one twice
     */
    public <T> Flux<T> subscribe(Function<? super ByteBuffer, ? extends T> decoder, long... tags) {
        return subscribe(untagged(decoder), tags);
    }

    /** Subscribes to these tags on one stream, and receives what {@code decoder} makes of each message, under the same rules. */
    public <T> Flux<T> subscribe(Function<? super ByteBuffer, ? extends T> decoder, Tags tags) {
        return subscribe(untagged(decoder), tags);
    }

    /**
     * Subscribes to each of these tags, and receives what {@code decoder} makes of each message with its tag and status, under
     * the rules of {@link #subscribe(Function, long...)}.
     *
     * @throws IllegalArgumentException if there is no tag, or one twice
     */
    public <T> Flux<T> subscribe(TaggedDecoder<? extends T> decoder, long... tags) {
        if (tags.length == 0 || Arrays.stream(tags).distinct().count() < tags.length) {
            throw new IllegalArgumentException("subscribe to at least one tag, and to each once: " + Arrays.toString(tags));
        }
        if (tags.length == 1) {
            return subscribe(decoder, Tags.of(tags[0]));
        }
        List<Tags> each = Arrays.stream(tags).mapToObj(Tags::of).toList();
        return shared.group(retry, first -> DefaultConnection.of(first).engine().staysOnLoop(
                Flux.merge(Flux.fromIterable(each).map(one -> this.<T>subscribe(decoder, one)), each.size())));
    }

    /**
     * Subscribes to these tags on one stream, and receives what {@code decoder} makes of each message with its tag and status,
     * under the rules of {@link #subscribe(Function, long...)}.
     */
    public <T> Flux<T> subscribe(TaggedDecoder<? extends T> decoder, Tags tags) {
        return onOneStream(tags, true, (engine, inbound) -> engine.receiveTagged(inbound, decoder));
    }

    /**
     * Asks which tags the publisher publishes now, which says so at {@code tag}: see {@link NetioPublisher#publishTags}. Each
     * element is the tags of one shared source, as {@link #subscribeSequenced(Tags)} needs them. The Flux fails with an
     * {@link IllegalArgumentException} if the publisher publishes something else at that tag.
     */
    public Flux<Tags> publishedTags(long tag) {
        return subscribe((of, status, message) -> TagsMessage.read(message), Tags.of(tag));
    }

    /**
     * Subscribes to these tags on one stream, and receives the messages in batches, under the rules of
     * {@link NetioInbound#receiveBatches()}.
     */
    public Flux<MessageBatch> subscribeBatches(Tags tags) {
        return onOneStream(tags, false,
                (engine, inbound) -> engine.receiveBatches(inbound, NetioInbound.DEFAULT_BATCH_SIZE));
    }

    /**
     * Subscribes to these tags on one stream, and leaves the messages in their receive buffers, under the rules of
     * {@link NetioInbound#receiveLeased()}. A lease outlives its connection.
     */
    public Flux<Lease> subscribeLeased(Tags tags) {
        return onOneStream(tags, false, (engine, inbound) -> engine.receiveLeased(inbound));
    }

    /**
     * Subscribes to these tags on one stream, and tells the number of each message and what is missing. The publisher must
     * publish exactly {@code tags} with one {@code publish}, as only then its messages have numbers; otherwise the Flux fails
     * with an IllegalStateException at the first message.
     *
     * <p>The Flux has every message that arrives as a {@link SequencedMessage}. Where some are missing it has a {@link Gap}
     * before the next message, or before its end, which may be an error, too. A source that has begun anew is a {@link
     * RunChange}. So the Flux accounts for every message since it began, over all connections of {@link #reconnect}. That is
     * at most once, in the order of the publisher: what is missing is not sent again.
     *
     * <p>A reader that keeps the {@link Position} of its last message can go on from there, in this process or another. The Flux
     * keeps it for {@code repeat}, {@code retry} and the like: when the same subscriber subscribes again after the end or a
     * cancel, it goes on behind the last event that it had, and is told what it has missed. Another subscriber begins anew.
     */
    public Flux<SequencedEvent> subscribeSequenced(Tags tags) {
        return subscribeSequenced(tags, nothing -> { });
    }

    /**
     * Subscribes as {@link #subscribeSequenced(Tags)} does, and tells where the Flux begins: {@code onStart} is called with the
     * position before the first message, as soon as the publisher has said it, which may be long before that message. It is
     * called once for each subscriber of the Flux, and not again by {@code repeat}, before its first event, on the loop, and must
     * not block. What it throws is logged. A reader that ends before its first message can keep this position, and is told what
     * it missed.
     */
    public Flux<SequencedEvent> subscribeSequenced(Tags tags, Consumer<? super Position> onStart) {
        Objects.requireNonNull(onStart, "onStart");
        return sequenced(tags, () -> new SequenceTracker(tags, onStart));
    }

    /**
     * Subscribes as {@link #subscribeSequenced(Tags)} does, for a reader that goes on. It gets the messages from now on. What was
     * published since {@code last} is told before the first of them.
     */
    public Flux<SequencedEvent> subscribeSequenced(Tags tags, Position last) {
        Objects.requireNonNull(last, "last");
        return sequenced(tags, () -> new SequenceTracker(tags, last));
    }

    private Flux<SequencedEvent> sequenced(Tags tags, Supplier<SequenceTracker> trackers) {
        return new SequencedFlux(trackers, () -> new GapDetector(tags, hooks), progress -> new RenewedFlux<>(false,
                past -> again(progress.detector(), shared.with(connection -> {
                    SequenceTracker.Sequencer sequencer = progress.tracker().new Sequencer(
                            listener(connection, progress.detector()));
                    return past.apply(stream(connection, tags, sequencer,
                            (engine, inbound) -> engine.receiveTagged(inbound, sequencer)));
                }))));
    }

    private static <T> TaggedDecoder<T> untagged(Function<? super ByteBuffer, ? extends T> decoder) {
        return (tag, status, payload) -> decoder.apply(payload);
    }

    /** Whether this subscriber is connected. Subscribers made of this one by further settings have states of their own. */
    public ConnectionState state() {
        return client.state();
    }

    /**
     * The present {@link #state} and those that follow, also while {@link #reconnect} tries. The Flux does not end. A subscriber
     * of it that is slow misses states, but not the last.
     */
    public Flux<ConnectionState> states() {
        return client.states();
    }

    /** Returns a snapshot of the counters. */
    public SubscriberStatistics statistics() {
        return counters.statistics(state().isConnected());
    }

    private GapDetector.Listener listener(NetioConnection connection, GapDetector position) {
        EventLoop loop = DefaultConnection.of(connection).engine().loop();
        return position.new Listener(loop, counters.on(loop));
    }

    /** {@code mayBePolled}: whether the messages may be kept in a queue. */
    private <T> Flux<T> onOneStream(Tags tags, boolean mayBePolled, BiFunction<Connection, Inbound, Flux<T>> receive) {
        return new RenewedFlux<>(mayBePolled, past -> {
            GapDetector position = new GapDetector(tags, hooks);
            return again(position, shared.with(
                    connection -> past.apply(stream(connection, tags, listener(connection, position), receive))));
        });
    }

    private <T> Flux<T> stream(NetioConnection connection, Tags tags, SubscriptionListener listener,
            BiFunction<Connection, Inbound, Flux<T>> receive) {
        Connection engine = DefaultConnection.of(connection).engine();
        if (!(engine.session() instanceof StreamSession session)) {
            return Flux.error(new IllegalStateException(connection + " has no streams"));
        }
        hooks.subscribed().accept(connection);
        Inbound inbound = session.inbound(tags, policy, ahead(session.prefetch()), listener);
        return DefaultConnection.of(connection).subscribing(tags.numbers(), receive.apply(engine, inbound));
    }

    /** A subscriber for whom messages are dropped is shown the present ones: what came ahead would be old. */
    private Prefetch ahead(Prefetch ofClient) {
        Prefetch asSet = prefetch != null ? prefetch : ofClient;
        boolean drops = policy == SlowPolicy.DROP_OLDEST || policy == SlowPolicy.DROP_NEWEST;
        return drops && asSet.adaptive() ? Prefetch.NONE : asSet;
    }

    /** Makes streams again, each of which is one element here. */
    private Flux<RenewedFlux.Begun> again(GapDetector position, Flux<RenewedFlux.Begun> streams) {
        Flux<RenewedFlux.Begun> tried = retry == null ? streams : streams.retryWhen(telling(retry, position));
        return repeat == null ? tried : tried.repeatWhen(
                completions -> repeat.apply(completions.map(one -> position.takeReceived())));
    }

    /** Tries again when {@code when} does, and tells {@code position} before. */
    private static Retry telling(Retry when, GapDetector position) {
        return new Retry(when.retryContext()) {
            @Override
            public Publisher<?> generateCompanion(Flux<RetrySignal> signals) {
                AtomicReference<Throwable> last = new AtomicReference<>();
                return Flux.from(when.generateCompanion(signals.doOnNext(signal -> last.set(signal.failure()))))
                        .doOnNext(again -> position.retried(last.get()));
            }
        };
    }
}
