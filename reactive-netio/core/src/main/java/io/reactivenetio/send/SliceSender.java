// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.send;

import io.reactivenetio.api.RegionSlice;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.jctools.queues.varhandle.SpmcVarHandleArrayQueue;
import org.jspecify.annotations.Nullable;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Operators;

/**
 * Sends slices of a region without copying them. Every slice that reaches {@code onNext} is told to be reusable exactly once,
 * unless another send owns it: then that send tells it.
 */
public final class SliceSender extends BufferSender<RegionSlice> {
    private final BufferChannel channel;
    private final boolean emptyAllowed;
    /** How many elements were requested and have not come. */
    private final AtomicInteger expected = new AtomicInteger();
    private final SpmcVarHandleArrayQueue<SliceState> waiting; // not Spsc: a loop that ends and the upstream may both take

    public SliceSender(BufferChannel channel, CoreSubscriber<? super Void> actual, boolean untilDelivered, boolean emptyAllowed) {
        super(channel, actual, untilDelivered);
        this.channel = channel;
        this.emptyAllowed = emptyAllowed;
        this.waiting = new SpmcVarHandleArrayQueue<>(channel.slots().size() + 1);
    }

    @Override
    int room() {
        return channel.slots().size();
    }

    @Override
    protected int waiting() {
        return waiting.size();
    }

    @Override
    public boolean hasNext() {
        return !waiting.isEmpty();
    }

    /** How many elements wait here, or were requested and have not come. */
    int inHand() {
        return expected.get() + waiting.size();
    }

    @Override
    public void onNext(RegionSlice element) {
        Objects.requireNonNull(element, "§2.13: element");
        if (!(element instanceof SliceState slice)) {
            reject(new IllegalArgumentException("no slice of a NetioRegion: " + element.getClass().getName()));
            return;
        }
        if (!slice.begin()) {
            if (isOver()) {
                Operators.onNextDropped(element, currentContext());
            } else {
                reject(new IllegalStateException(slice + " is being sent already: wait until it is reusable, or take another"
                        + " slice of the same memory"));
            }
            return;
        }
        if (isOver()) {
            Operators.onNextDropped(element, currentContext());
            slice.end(channel.loop());
            return;
        }
        RuntimeException refusal = channel.slots().refusal(slice, emptyAllowed);
        if (refusal == null && expected.getAndDecrement() <= 0) {
            refusal = new IllegalStateException("§1.1: the upstream emitted more than was requested");
        }
        if (refusal != null) {
            slice.end(channel.loop());
            reject(refusal);
            return;
        }
        waiting.offer(slice);
        schedule();
    }

    // ---- on the loop

    void expect(int more) {
        expected.addAndGet(more);
    }

    /** The next slice to be sent, or null. */
    @Nullable SliceState next() {
        SliceState slice = waiting.poll();
        if (slice != null) {
            taken();
        }
        return slice;
    }

    @Override
    void giveBackWaiting() {
        SliceState slice;
        while ((slice = waiting.poll()) != null) {
            slice.end(channel.loop());
        }
    }

    @Override
    void giveBackReserved() {
        // nothing is reserved for elements that have not come
    }
}
