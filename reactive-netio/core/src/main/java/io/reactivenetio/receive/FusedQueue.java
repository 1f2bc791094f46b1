// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.receive;

import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jctools.queues.varhandle.SpscUnboundedVarHandleArrayQueue;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/**
 * Elements on their way from the loop to an operator that polls them on a thread of its own. It needs no bound: only what the
 * peer was asked for comes here. The loop adds, one thread at a time polls or clears.
 */
final class FusedQueue<T> {
    private static final int SEGMENT = 1024;
    private static final long NOT_YET = -1;

    /** Its two indexes, which are on cache lines of their own, count what is added and what is polled. */
    private final SpscUnboundedVarHandleArrayQueue<T> queue = new SpscUnboundedVarHandleArrayQueue<>(SEGMENT);
    private final Context context;
    /** How many elements had been polled when the operator cleared it: from then on the loop discards what it adds. */
    private final AtomicLong polledAtClear = new AtomicLong(NOT_YET);
    private final AtomicInteger clearing = new AtomicInteger();
    /** How many elements had been polled when the operator cancelled. */
    private final AtomicLong polledAtCancel = new AtomicLong(NOT_YET);

    // loop-confined
    private long told;
    private long counted;
    private long left;

    /** {@code context}: of the subscriber, with the hook for what is discarded. */
    FusedQueue(Context context) {
        this.context = context;
    }

    // ---- on the operator's thread

    @Nullable T poll() {
        return queue.poll();
    }

    /** Discards all elements, also those that the loop still adds. */
    void clear() {
        polledAtClear.compareAndSet(NOT_YET, queue.currentConsumerIndex());
        discard();
    }

    // ---- any thread

    /** Before anybody sees the cancel: what is polled from now on, is polled to be discarded. */
    void cancelled() {
        polledAtCancel.compareAndSet(NOT_YET, polled());
    }

    boolean isEmpty() {
        return queue.isEmpty();
    }

    int size() {
        return queue.size();
    }

    /** How many elements the operator has polled, without those that were discarded after it cleared the queue. */
    private long polled() {
        long taken = queue.currentConsumerIndex(); // before it is known that none of these were discarded
        long atClear = polledAtClear.get();
        return atClear == NOT_YET ? taken : atClear;
    }

    private void discard() {
        if (clearing.getAndIncrement() != 0) {
            return; // whoever is at it looks again
        }
        int seen = 1;
        do {
            T element;
            while ((element = queue.poll()) != null) {
                Operators.onDiscard(element, context);
            }
            seen = clearing.addAndGet(-seen);
        } while (seen != 0);
    }

    // ---- on the loop

    void add(T element) {
        queue.offer(element);
    }

    /** Whether elements were added that nobody was told of. They are told of now, or discarded. */
    boolean takeSignal() {
        long added = queue.currentProducerIndex();
        boolean due = added != told;
        told = added;
        if (due && isCleared()) {
            discard();
            return false;
        }
        return due;
    }

    private boolean isCleared() {
        VarHandle.fullFence(); // what was added is visible before this is read
        return polledAtClear.get() != NOT_YET;
    }

    /** How many elements were polled since this was asked last. */
    long takePolled() {
        long all = polled();
        long more = all - counted;
        counted = all;
        return more;
    }

    /**
     * After a cancel, or once the operator has cleared it: how many elements nobody was given, since this was asked last. Some
     * operators clear the queue, some poll to discard, and some leave the elements where they are.
     */
    int takeLeft() {
        long atCancel = polledAtCancel.get();
        long given = atCancel == NOT_YET ? polledAtClear.get() : atCancel;
        if (given == NOT_YET) {
            return 0;
        }
        long more = queue.currentProducerIndex() - given - left;
        left += more;
        return (int) more;
    }
}
