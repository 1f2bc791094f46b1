// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.annotation.listener;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Messages that wait for a worker. They are given in batches, and taken one by one, in this order. Any thread. */
final class WaitingMessages {
    /** Some messages in a row. One thread at a time adds to it, until it is given. */
    static final class Batch {
        private static final int MOST = 32;

        private final PendingMessage[] messages = new PendingMessage[MOST];
        private final AtomicInteger taken = new AtomicInteger();
        private int size;

        static Batch of(PendingMessage message) {
            Batch batch = new Batch();
            batch.add(message);
            return batch;
        }

        void add(PendingMessage message) {
            messages[size++] = message;
        }

        boolean isFull() {
            return size == MOST;
        }

        int size() {
            return size;
        }

        private int remaining() {
            return Math.max(0, size - taken.get());
        }

        private @Nullable PendingMessage take() {
            int next = remaining() == 0 ? size : taken.getAndIncrement();
            return next < size ? messages[next] : null;
        }
    }

    private final Queue<Batch> batches = new ConcurrentLinkedQueue<>();

    /** Nothing is added to {@code batch} afterwards. */
    void add(Batch batch) {
        batches.add(batch);
    }

    @Nullable PendingMessage poll() {
        Batch first = first();
        while (first != null) {
            PendingMessage message = first.take();
            if (message != null) {
                return message;
            }
            first = first();
        }
        return null;
    }

    boolean isEmpty() {
        return first() == null;
    }

    int size() {
        return batches.stream().mapToInt(Batch::remaining).sum();
    }

    /** The first batch of which messages are left. */
    private @Nullable Batch first() {
        Batch first = batches.peek();
        while (first != null && first.remaining() == 0) {
            batches.remove(first);
            first = batches.peek();
        }
        return first;
    }
}
