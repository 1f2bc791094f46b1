// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.pubsub;

import io.reactivenetio.api.SlowPolicy;
import io.reactivenetio.api.Tags;
import io.reactivenetio.diagnostics.UserCode;
import io.reactivenetio.framing.stream.SharedMessage;
import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.transport.exceptions.StreamError;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Operators;

/**
 * Gives each subscription to a single tag a Publisher of its own. The Publisher is asked for what the subscriber asks for,
 * whatever the policy. No other subscriber waits with it, and if it were asked for more, the rest would only be dropped.
 */
final class ColdSource<T> implements TagSource {
    private final Tags tags;
    private final LongFunction<? extends Publisher<? extends T>> factory;
    private final Function<? super T, ByteBuffer> toPayload;
    private final long bytes;
    private final PublisherCounters counters;
    // guarded by this object: what the present subscriptions have published, and those that are over
    private final Set<Filler> fillers = new HashSet<>();
    private long past;

    /** {@code toPayload} makes a buffer of an element, which nobody changes from then on. */
    ColdSource(Tags tags, LongFunction<? extends Publisher<? extends T>> factory,
            Function<? super T, ByteBuffer> toPayload, long bytes, PublisherCounters counters) {
        this.tags = tags;
        this.factory = factory;
        this.toPayload = toPayload;
        this.bytes = bytes;
        this.counters = counters;
    }

    @Override
    public Tags tags() {
        return tags;
    }

    /** A subscription to many tags does not get a Publisher for each tag, since there may be 2^64. */
    @Override
    public boolean serves(Tags wanted) {
        return (wanted.isOne() || tags.isOne()) && tags.overlaps(wanted);
    }

    @Override
    public SlowPolicy policy(SlowPolicy wished) {
        return SlowPolicy.BACKPRESSURE;
    }

    @Override
    public long join(SubscriberQueue queue, Tags wanted, EventLoop loop, Executor turns) {
        long tag = tags.isOne() ? tags.first() : wanted.first();
        Publisher<? extends T> publisher = Objects.requireNonNull(factory.apply(tag), "no Publisher for the tag");
        Filler filler = new Filler(queue, tag);
        joined(filler);
        queue.supply(filler);
        try {
            publisher.subscribe(filler);
        } catch (Throwable t) { // §1.9 forbids it
            filler.onError(t);
        }
        return UNNUMBERED;
    }

    private synchronized void joined(Filler filler) {
        fillers.add(filler);
    }

    private synchronized void left(Filler filler) {
        if (fillers.remove(filler)) {
            past += filler.published.getOpaque();
        }
    }

    @Override
    public synchronized long published() {
        long sum = past;
        for (Filler filler : fillers) {
            sum += filler.published.getOpaque();
        }
        return sum;
    }

    @Override
    public void close() {
        // each subscription ends with its connection
    }

    /** Puts the messages of one Publisher into the queue of its subscription. It requests on the loop. */
    private final class Filler implements CoreSubscriber<T>, SubscriberQueue.Supply {
        private final SubscriberQueue queue;
        private final long tag;
        private volatile @Nullable Subscription upstream;
        private volatile boolean left;
        /** Written by the Publisher's thread, without a locked instruction. */
        private final AtomicLong published = new AtomicLong();
        private final AskWindow window;
        private long demand;
        private long requested;

        Filler(SubscriberQueue queue, long tag) {
            this.queue = queue;
            this.tag = tag;
            this.window = new AskWindow(queue.capacity(), bytes);
            queue.window(window);
        }

        @Override
        public void onSubscribe(Subscription s) {
            Objects.requireNonNull(s, "§2.13: subscription");
            if (!Operators.validate(upstream, s)) {
                return;
            }
            upstream = s;
            if (left) {
                s.cancel();
            } else {
                queue.wake();
            }
        }

        @Override
        public void onNext(T element) {
            Objects.requireNonNull(element, "§2.13: element");
            if (left) {
                Operators.onDiscard(element, currentContext());
                counters.undelivered(1);
                return;
            }
            ByteBuffer payload;
            try {
                payload = toPayload.apply(element);
            } catch (Throwable t) { // the user's
                onError(t);
                stop();
                return;
            }
            published.setOpaque(published.getPlain() + 1);
            if (window.count(payload.remaining())) {
                queue.window(window);
            }
            if (!queue.offer(new SharedMessage(tag, 0, payload))) {
                counters.undelivered(1);
            } else if (left) { // meanwhile
                counters.undelivered(queue.discard());
            }
        }

        @Override
        public void onError(Throwable error) {
            queue.finish(new SubscriberQueue.End(StreamError.SOURCE_FAILED.code(), UserCode.text(error)));
        }

        @Override
        public void onComplete() {
            queue.finish(new SubscriberQueue.End(SubscriberQueue.COMPLETE, ""));
        }

        @Override
        public void requested(long n) {
            demand = Operators.addCap(demand, n);
            moved();
        }

        @Override
        public void moved() {
            Subscription s = upstream;
            long more = Math.min(demand, queue.passed() + window.size()) - requested;
            if (s != null && more > 0) {
                requested += more;
                s.request(more);
            }
        }

        @Override
        public void left() {
            stop();
            counters.undelivered(queue.rest().size()); // of no use to others, who have Publishers of their own
        }

        private void stop() {
            boolean before = left;
            left = true;
            ColdSource.this.left(this);
            Subscription s = upstream;
            if (s != null && !before) {
                s.cancel();
            }
        }
    }
}
