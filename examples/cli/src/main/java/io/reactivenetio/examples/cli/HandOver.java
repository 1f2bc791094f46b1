// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.cli;

import java.nio.ByteBuffer;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.FluxOperator;
import reactor.core.publisher.Operators;
import reactor.core.scheduler.Scheduler;

/**
 * Takes messages from the loop to the writing thread, in a few buffers that are used again and again. Demand bounds them: as many
 * small messages may be on the way as a few large ones have bytes, and one at least.
 */
final class HandOver {
    private static final int LARGE_MESSAGES = 8;
    private static final int MOST_MESSAGES = 256;
    private static final long MOST_BYTES = 4 << 20;

    private final long limit;
    private final ArrayBlockingQueue<ByteBuffer> free = new ArrayBlockingQueue<>(MOST_MESSAGES);
    private final AtomicLong freeBytes = new AtomicLong();
    private final AtomicLong bytes = new AtomicLong();
    private final AtomicLong maxBytes = new AtomicLong();
    private volatile int largest;
    private volatile @Nullable Window window;

    HandOver(int bufferSize, int buffers) {
        this.limit = Math.min(MOST_BYTES, (long) bufferSize * Math.min(LARGE_MESSAGES, buffers));
    }

    /** What {@link #copy} made of the messages, on {@code worker}. Once. */
    Flux<ByteBuffer> through(Flux<ByteBuffer> copies, Scheduler worker) {
        return through(copies, Long.MAX_VALUE, worker);
    }

    /**
     * Hands over the first {@code count} messages and completes then, without a cancel. So a peer that has no more messages
     * ends well, and one that has more waits for demand until the connection goes.
     */
    Flux<ByteBuffer> through(Flux<ByteBuffer> copies, long count, Scheduler worker) {
        return new FluxOperator<ByteBuffer, ByteBuffer>(copies) {
            @Override
            public void subscribe(CoreSubscriber<? super ByteBuffer> actual) {
                Window opened = new Window(actual, count);
                window = opened;
                source.subscribe(opened);
            }
        }.publishOn(worker, MOST_MESSAGES);
    }

    /** On the loop: a copy of a message that is still in its receive buffer. */
    ByteBuffer copy(ByteBuffer message) {
        int length = message.remaining();
        long now = bytes.addAndGet(length);
        if (now > maxBytes.get()) {
            maxBytes.lazySet(now);
        }
        if (length > largest) {
            largest = length;
        }
        ByteBuffer used = free.poll();
        if (used != null) {
            freeBytes.addAndGet(-used.capacity());
        }
        boolean fits = used != null && used.capacity() >= length;
        return (fits ? used.clear() : ByteBuffer.allocate(length)).put(message).flip();
    }

    /** On the writing thread: a copy and its length are no longer needed. */
    void giveBack(ByteBuffer copy, int length) {
        bytes.addAndGet(-length);
        if (freeBytes.get() + copy.capacity() <= limit && free.offer(copy)) {
            freeBytes.addAndGet(copy.capacity());
        }
        Window open = window;
        if (open != null) {
            open.returned();
        }
    }

    /** The most that was on the way at once. */
    long maxBytes() {
        return maxBytes.get();
    }

    /** Asks for no more messages than may be on the way. */
    private final class Window implements CoreSubscriber<ByteBuffer>, Subscription {
        private final CoreSubscriber<? super ByteBuffer> actual;
        private final long count;
        private @Nullable Subscription upstream;
        private long wanted;
        private long requested;
        private long returned;
        /** How many messages may still come. */
        private long left;

        Window(CoreSubscriber<? super ByteBuffer> actual, long count) {
            this.actual = actual;
            this.count = count;
            this.left = count;
        }

        @Override
        public void onSubscribe(Subscription subscription) {
            upstream = subscription;
            actual.onSubscribe(this);
        }

        @Override
        public void onNext(ByteBuffer message) {
            actual.onNext(message);
            if (--left == 0) {
                actual.onComplete();
            }
        }

        @Override
        public void onError(Throwable problem) {
            if (left > 0) {
                actual.onError(problem);
            }
        }

        @Override
        public void onComplete() {
            if (left > 0) {
                actual.onComplete();
            }
        }

        @Override
        public void request(long n) {
            more(n, 0);
        }

        void returned() {
            more(0, 1);
        }

        /** Few at a time would cost more than they are worth, unless nothing else is on the way. */
        private void more(long wish, int back) {
            long n;
            synchronized (this) {
                wanted = Math.min(count, Operators.addCap(wanted, wish));
                returned += back;
                int size = largest;
                long most = size == 0 ? 1 : Math.clamp(limit / size, 1, MOST_MESSAGES);
                n = Math.min(most - (requested - returned), wanted - requested);
                if (n <= 0 || n * 2 < most && requested > returned) {
                    return;
                }
                requested += n;
            }
            Subscription s = upstream;
            if (s != null) {
                s.request(n);
            }
        }

        @Override
        public void cancel() {
            Subscription s = upstream;
            if (s != null) {
                s.cancel();
            }
        }
    }
}
