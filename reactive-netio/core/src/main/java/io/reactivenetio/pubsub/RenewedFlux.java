// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.pubsub;

import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Fuseable;
import reactor.core.Scannable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/**
 * The messages of streams that follow one another, as {@code retryWhen} and {@code repeatWhen} make them. These operators get
 * one element of each stream, before its first message, and its end. The messages go past them, and so does demand: they cost
 * what an operator costs that does nothing, and an operator behind this Flux may poll the queue of the stream itself.
 *
 * <p>Signals come one at a time, from the loop of the present stream. Requests and a cancel come from any thread.
 */
final class RenewedFlux<T> extends Flux<T> implements Fuseable, Scannable {
    /** What the operators that make streams again get of each stream. */
    enum Begun { BEGUN }

    private final boolean mayBePolled;
    private final Function<Function<Flux<T>, Flux<Begun>>, Flux<Begun>> renewal;

    /**
     * {@code renewal} makes, for each subscriber, a Flux of streams. It passes the messages of each through the function that it
     * is given. {@code mayBePolled}: whether an operator may keep messages in a queue.
     */
    RenewedFlux(boolean mayBePolled, Function<Function<Flux<T>, Flux<Begun>>, Flux<Begun>> renewal) {
        this.mayBePolled = mayBePolled;
        this.renewal = renewal;
    }

    @Override
    public void subscribe(CoreSubscriber<? super T> actual) {
        Renewed<T> renewed = new Renewed<>(actual, mayBePolled);
        Flux<Begun> streams = renewal.apply(messages -> new Flux<>() {
            @Override
            public void subscribe(CoreSubscriber<? super Begun> operators) {
                messages.subscribe(new Stream<>(renewed, operators));
            }
        });
        actual.onSubscribe(renewed);
        if (!renewed.cancelled) {
            streams.subscribe(renewed);
        }
    }

    @Override
    public @Nullable Object scanUnsafe(@SuppressWarnings("rawtypes") Attr key) {
        return key == Attr.RUN_STYLE ? Attr.RunStyle.ASYNC : null;
    }

    /** Is the subscription of the subscriber, and the subscriber of the operators that make streams again. */
    private static final class Renewed<T> implements QueueSubscription<T>, CoreSubscriber<Begun>, Scannable {
        private final CoreSubscriber<? super T> actual;
        private final boolean mayBePolled;
        private final AtomicReference<@Nullable Subscription> operators = new AtomicReference<>();
        private final AtomicLong requested = new AtomicLong();
        /** How many messages the streams before the last one have emitted, unless they are polled. */
        private final AtomicLong emitted = new AtomicLong();
        /** How many messages were polled, of all streams. */
        private final AtomicLong polled = new AtomicLong();
        /** Streams whose messages an operator polls: those that are over and have messages left, and the last one. */
        private final Queue<Stream<T>> queued = new ConcurrentLinkedQueue<>();
        /** The last stream that has begun. */
        private volatile @Nullable Stream<T> last;
        private volatile boolean cancelled;
        private volatile boolean cleared;
        private volatile boolean invalidRequest;
        private volatile boolean ended;
        /** Set within {@code onSubscribe}, before any stream. */
        private boolean isPolled;

        Renewed(CoreSubscriber<? super T> actual, boolean mayBePolled) {
            this.actual = actual;
            this.mayBePolled = mayBePolled;
        }

        // ---- the subscription

        @Override
        public void request(long n) {
            if (n > 0) {
                requested.accumulateAndGet(n, Operators::addCap);
            } else {
                invalidRequest = true; // §3.9: the stream fails
            }
            askLast();
        }

        private void askLast() {
            Stream<T> to = last;
            if (to == null) {
                return; // the next stream is asked when it begins
            } else if (invalidRequest) {
                to.upstream().request(0);
                return;
            }
            long all = requested.get();
            to.ask(all == Long.MAX_VALUE ? all : all - givenBefore(to));
        }

        /**
         * How many messages streams before this one have given. While messages are being polled, it may be a few less, never
         * more: as many are requested soon.
         */
        private long givenBefore(Stream<T> stream) {
            if (!isPolled) {
                return emitted.get();
            }
            long given = polled.get();
            given -= stream.polled.get();
            for (Stream<T> each : queued) {
                given += each == stream ? 0 : each.queue().size();
            }
            return given;
        }

        @Override
        public void cancel() {
            cancelled = true;
            Subscription from = operators.getAndSet(Operators.cancelledSubscription());
            if (from != null) {
                from.cancel();
            }
            queued.forEach(each -> each.upstream().cancel()); // streams that are over count what they have left
        }

        // ---- the queue of an operator that polls

        @Override
        public int requestFusion(int mode) {
            isPolled = mayBePolled && (mode & Fuseable.ASYNC) != 0;
            return isPolled ? Fuseable.ASYNC : Fuseable.NONE;
        }

        @Override
        public @Nullable T poll() {
            Stream<T> first;
            while ((first = queued.peek()) != null) {
                boolean over = first.over;
                T message = first.queue().poll();
                if (message != null) {
                    first.polled.lazySet(first.polled.get() + 1); // nobody else writes these
                    polled.lazySet(polled.get() + 1);
                    return message;
                } else if (!over) {
                    return null;
                }
                queued.remove(first);
                askLast(); // an operator in between may have given less than there was in the queue
            }
            return null;
        }

        @Override
        public boolean isEmpty() {
            for (Stream<T> each : queued) {
                if (!each.queue().isEmpty()) {
                    return false;
                }
            }
            return true;
        }

        @Override
        public int size() {
            int size = 0;
            for (Stream<T> each : queued) {
                size += each.queue().size();
            }
            return size;
        }

        @Override
        public void clear() {
            cleared = true;
            queued.forEach(each -> each.queue().clear());
        }

        // ---- streams

        void begins(Stream<T> stream) {
            if (isPolled) {
                queued.add(stream);
                if (cleared) {
                    stream.queue().clear();
                }
            }
            last = stream; // after what the former ones have given is known
            askLast();
        }

        void ends(Stream<T> stream) {
            if (!isPolled) {
                emitted.addAndGet(stream.emitted);
            } else if (stream.queue().isEmpty()) {
                queued.remove(stream);
            }
        }

        // ---- the subscriber of the operators

        @Override
        public Context currentContext() {
            return actual.currentContext();
        }

        @Override
        public void onSubscribe(Subscription subscription) {
            if (operators.compareAndSet(null, subscription)) {
                subscription.request(Long.MAX_VALUE);
            } else {
                subscription.cancel();
            }
        }

        @Override
        public void onNext(Begun begun) {
            // retryWhen knows now that this stream has succeeded
        }

        @Override
        public void onError(Throwable failure) {
            ended = true;
            actual.onError(failure);
        }

        @Override
        public void onComplete() {
            ended = true;
            actual.onComplete();
        }

        @Override
        public @Nullable Object scanUnsafe(@SuppressWarnings("rawtypes") Attr key) {
            if (key == Attr.ACTUAL) {
                return actual;
            } else if (key == Attr.PARENT) {
                return last;
            } else if (key == Attr.BUFFERED) {
                return size();
            } else if (key == Attr.CANCELLED) {
                return cancelled && !ended;
            } else if (key == Attr.TERMINATED) {
                return ended;
            }
            return key == Attr.RUN_STYLE ? Attr.RunStyle.ASYNC : null;
        }
    }

    /** One stream: the subscriber of its messages, and the subscription of the operators. */
    private static final class Stream<T> implements ConditionalSubscriber<T>, Subscription, Scannable {
        private final Renewed<T> renewed;
        private final CoreSubscriber<? super Begun> operators;
        private final CoreSubscriber<? super T> actual;
        private final @Nullable ConditionalSubscriber<? super T> conditional;
        private final AtomicLong asked = new AtomicLong();
        private final AtomicLong polled = new AtomicLong();
        private @Nullable Subscription upstream;
        /** Where an operator polls its messages. */
        private @Nullable QueueSubscription<T> queue;
        /** The same, if the stream has none. */
        private @Nullable OwnQueue<T> own;
        private long emitted;
        private boolean begun;
        private volatile boolean over;

        @SuppressWarnings("unchecked") // a subscriber of T is a conditional one of T, if at all
        Stream(Renewed<T> renewed, CoreSubscriber<? super Begun> operators) {
            this.renewed = renewed;
            this.operators = operators;
            this.actual = renewed.actual;
            this.conditional = actual instanceof ConditionalSubscriber ? (ConditionalSubscriber<? super T>) actual : null;
        }

        Subscription upstream() {
            return Objects.requireNonNull(upstream);
        }

        QueueSubscription<T> queue() {
            return Objects.requireNonNull(queue);
        }

        /** Requests what is missing to {@code all}. Of several threads that call it, one requests a message. */
        void ask(long all) {
            long before;
            do {
                before = asked.get();
                if (before >= all) {
                    return;
                }
            } while (!asked.compareAndSet(before, all));
            upstream().request(all == Long.MAX_VALUE ? all : all - before);
        }

        @Override
        public Context currentContext() {
            return operators.currentContext();
        }

        @Override
        public void onSubscribe(Subscription subscription) {
            if (!Operators.validate(upstream, subscription)) {
                return;
            }
            upstream = subscription;
            if (renewed.isPolled) {
                queue = queueOf(subscription);
            }
            operators.onSubscribe(this);
            renewed.begins(this);
        }

        @SuppressWarnings("unchecked") // of a stream of T
        private QueueSubscription<T> queueOf(Subscription subscription) {
            if (subscription instanceof QueueSubscription<?> its && its.requestFusion(Fuseable.ASYNC) == Fuseable.ASYNC) {
                return (QueueSubscription<T>) its;
            }
            own = new OwnQueue<>(subscription, actual.currentContext());
            return own;
        }

        @Override
        public void onNext(T message) {
            begin();
            if (queue == null) {
                emitted++;
                actual.onNext(message);
                return;
            }
            if (own != null) {
                own.keep(message);
            }
            signal();
        }

        @Override
        public boolean tryOnNext(T message) {
            if (conditional == null || queue != null) {
                onNext(message);
                return true;
            }
            begin();
            boolean counts = conditional.tryOnNext(message);
            if (counts) {
                emitted++;
            }
            return counts;
        }

        private void begin() {
            if (!begun) {
                begun = true;
                operators.onNext(Begun.BEGUN);
            }
        }

        @SuppressWarnings("NullAway") // null is what Reactor says to an operator that polls
        private void signal() {
            actual.onNext(null);
        }

        @Override
        public void onError(Throwable failure) {
            if (over) {
                Operators.onErrorDropped(failure, currentContext());
                return;
            }
            over = true;
            renewed.ends(this);
            operators.onError(failure);
        }

        @Override
        public void onComplete() {
            if (!over) {
                over = true;
                renewed.ends(this);
                operators.onComplete();
            }
        }

        @Override
        public void request(long n) {
            // the operators get one element: the messages have a demand of their own
        }

        @Override
        public void cancel() {
            upstream().cancel();
        }

        @Override
        public @Nullable Object scanUnsafe(@SuppressWarnings("rawtypes") Attr key) {
            if (key == Attr.ACTUAL) {
                return actual;
            } else if (key == Attr.PARENT) {
                return upstream;
            }
            return key == Attr.TERMINATED ? over : null;
        }
    }
}
