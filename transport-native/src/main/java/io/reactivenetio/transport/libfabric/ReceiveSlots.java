// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.libfabric;

import io.reactivenetio.ffm.Fi;
import io.reactivenetio.ffm.FiEndpoint;
import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.memory.Slab;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * The receive side of an endpoint: every slot is home, posted to libfabric (a credit of the peer), or held by the owners of the
 * message in it. A slot goes home when its last reference is released and is posted again at once.
 */
final class ReceiveSlots {
    private final EventLoop loop;
    private final Slab slab;
    private final ReceiveSlot[] slots;
    private @Nullable FiEndpoint endpoint;
    private @Nullable Runnable onPosted;
    private long descriptor;
    private int posted;

    ReceiveSlots(EventLoop loop, int size, int number) {
        this.loop = loop;
        this.slab = new Slab(number, size);
        this.slots = new ReceiveSlot[number];
        for (int i = 0; i < number; i++) {
            slots[i] = new ReceiveSlot(i, this, slab.view(i));
        }
    }

    Slab slab() {
        return slab;
    }

    int posted() {
        return posted;
    }

    /** Begins to post to {@code target}; {@code callback} runs whenever a starved endpoint got a credit again. */
    void open(FiEndpoint target, long memoryDescriptor, Runnable callback) {
        endpoint = target;
        descriptor = memoryDescriptor;
        onPosted = callback;
        int result = post();
        if (result != 0) {
            throw new IllegalStateException("fi_recv: " + result);
        }
    }

    /**
     * Posts every slot that is home, as far as the provider's queue takes them; the others follow with the next completion.
     *
     * @return 0, or the negated error that broke the endpoint
     */
    private int post() {
        FiEndpoint target = endpoint;
        if (target == null) {
            return 0;
        }
        int slot;
        while ((slot = slab.acquire()) >= 0) {
            int result = target.recv(slab.address(slot), slab.slotSize(), descriptor,
                    OpContext.receive(slot, slab.generation(slot)));
            if (result != 0) {
                slab.free(slot);
                return result == -Fi.FI_EAGAIN ? 0 : result;
            }
            posted++;
        }
        return 0;
    }

    /** Takes the slot of a completion out of the posted ones; null for a completion of an earlier life. */
    @Nullable ReceiveSlot completed(long context) {
        int slot = OpContext.slot(context);
        if (slot >= slots.length || slab.generation(slot) != OpContext.generation(context)) {
            return null;
        }
        posted--;
        return slots[slot];
    }

    /** A posted slot came back empty (flushed or failed). */
    void flushed(ReceiveSlot slot) {
        slab.free(slot.index);
    }

    /** The last reference is gone, on whatever thread that was. */
    void released(ReceiveSlot slot) {
        if (loop.inEventLoop()) {
            recycle(slot);
            return;
        }
        try {
            loop.execute(slot);
        } catch (RejectedExecutionException terminated) {
            slab.freeForeign(slot.index);
        }
    }

    void recycle(ReceiveSlot slot) {
        slab.free(slot.index);
        if (endpoint != null) {
            post();
            if (onPosted != null) {
                onPosted.run();
            }
        }
    }

    /** Posts no more, because the endpoint is about to be closed. */
    void stop() {
        endpoint = null;
        onPosted = null;
    }

    /** After the endpoint is closed nothing can arrive any more: the posted slots go home, the memory with the last held one. */
    void close() {
        stop();
        slab.retire(posted);
        posted = 0;
    }
}
