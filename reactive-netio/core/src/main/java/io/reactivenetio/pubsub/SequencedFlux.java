// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.pubsub;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Operators;
import reactor.util.concurrent.Queues;
import reactor.util.context.Context;

/**
 * Puts what is missing between the messages, and before their end. A gap costs demand as a message does. So a message may come
 * that the subscriber has no demand left for. It waits here, and less is asked for next time: what waits is never more than the
 * subscriber has asked for at a time. An end waits behind it, also one with an error.
 */
final class SequencedFlux extends Flux<SequencedEvent> {
    private final Supplier<SequenceTracker> trackers;
    private final Supplier<GapDetector> detectors;
    private final Function<SequencedProgress, Flux<SequencedMessage>> messages;
    /** The progress of the last subscription. */
    private final AtomicReference<@Nullable SequencedProgress> progress = new AtomicReference<>();

    /** {@code messages} makes those of one subscription, which has a tracker and a detector of its own. */
    SequencedFlux(Supplier<SequenceTracker> trackers, Supplier<GapDetector> detectors,
            Function<SequencedProgress, Flux<SequencedMessage>> messages) {
        this.trackers = trackers;
        this.detectors = detectors;
        this.messages = messages;
    }

    @Override
    public void subscribe(CoreSubscriber<? super SequencedEvent> actual) {
        SequencedProgress own = SequencedProgress.of(actual, progress.get(), trackers, detectors);
        progress.set(own);
        messages.apply(own).subscribe(new Events(actual, own));
    }

    /** Signals come one at a time, requests and a cancel from any thread. Whoever finds {@link #work} at 0 does all of it. */
    private static final class Events implements CoreSubscriber<SequencedMessage>, Subscription {
        private final CoreSubscriber<? super SequencedEvent> actual;
        private final SequencedProgress progress;
        private final SequenceTracker tracker;
        private final Queue<SequencedEvent> queue = Queues.<SequencedEvent>unbounded(Queues.XS_BUFFER_SIZE).get();
        private final AtomicInteger work = new AtomicInteger();
        private final AtomicLong requested = new AtomicLong();
        private volatile boolean done;
        private volatile boolean cancelled;
        private @Nullable Throwable error;
        private @Nullable Subscription upstream;
        // only for who does the work
        private final Deque<SequencedEvent> missing = new ArrayDeque<>();
        private long emitted;
        /** How many messages were asked for that were not taken out of the queue. Long.MAX_VALUE is without end. */
        private long awaited;
        private boolean ending;

        Events(CoreSubscriber<? super SequencedEvent> actual, SequencedProgress progress) {
            this.actual = actual;
            this.progress = progress;
            this.tracker = progress.tracker();
        }

        @Override
        public Context currentContext() {
            return actual.currentContext();
        }

        @Override
        public void onSubscribe(Subscription subscription) {
            if (Operators.validate(upstream, subscription)) {
                upstream = subscription;
                actual.onSubscribe(this);
            }
        }

        @Override
        public void onNext(SequencedMessage message) {
            if (done) {
                Operators.onNextDropped(message, currentContext());
                return;
            }
            try {
                if (!tracker.add(message, queue)) {
                    askInPlaceOf();
                    return;
                }
            } catch (RuntimeException e) {
                onError(Operators.onOperatorError(upstream, e, message, currentContext()));
                return;
            }
            drain();
        }

        /** Asks for a message in the place of one that came and is not told. */
        private void askInPlaceOf() {
            Subscription from = upstream;
            if (from != null) {
                from.request(1);
            }
        }

        @Override
        public void onError(Throwable failure) {
            if (done) {
                Operators.onErrorDropped(failure, currentContext());
                return;
            }
            error = failure;
            onComplete();
        }

        @Override
        public void onComplete() {
            done = true;
            drain();
        }

        @Override
        public void request(long n) {
            Subscription from = upstream;
            if (n <= 0 && from != null) {
                from.request(n); // which fails, as §3.9 has it
            } else {
                requested.accumulateAndGet(n, Operators::addCap);
                drain();
            }
        }

        @Override
        public void cancel() {
            cancelled = true;
            progress.over(true);
            Subscription from = upstream;
            if (from != null) {
                from.cancel();
            }
            drain();
        }

        private void drain() {
            if (work.getAndIncrement() != 0) {
                return;
            }
            int seen = 1;
            do {
                if (cancelled) {
                    queue.clear();
                } else {
                    emit();
                }
                seen = work.addAndGet(-seen);
            } while (seen != 0);
        }

        private void emit() {
            long wanted = requested.get();
            while (!cancelled) {
                boolean last = done;
                SequencedEvent next = ending ? missing.peek() : queue.peek();
                if (next == null && last && !ending) {
                    ending = true;
                    tracker.addMissingAtEnd(missing);
                } else if (next == null && ending) {
                    end();
                } else if (next == null || emitted == wanted) {
                    break;
                } else {
                    take(next);
                    actual.onNext(next);
                }
            }
            ask(wanted);
        }

        private void take(SequencedEvent event) {
            if (ending) {
                missing.remove();
            } else {
                queue.remove();
            }
            progress.tell(event);
            if (event instanceof SequencedMessage && awaited != Long.MAX_VALUE) {
                awaited--;
            }
            if (requested.get() != Long.MAX_VALUE) {
                emitted++;
            }
        }

        /** Asks for as many messages as the subscriber waits for, less those that are on their way or here. */
        private void ask(long wanted) {
            long more = wanted == Long.MAX_VALUE ? wanted : wanted - emitted;
            Subscription from = upstream;
            if (!cancelled && !done && from != null && awaited != Long.MAX_VALUE && more > awaited) {
                long ask = more == Long.MAX_VALUE ? more : more - awaited;
                awaited = more;
                from.request(ask);
            }
        }

        private void end() {
            cancelled = true; // nothing more is to be told
            progress.over(false);
            Throwable failure = error;
            if (failure == null) {
                actual.onComplete();
            } else {
                actual.onError(failure);
            }
        }
    }
}
