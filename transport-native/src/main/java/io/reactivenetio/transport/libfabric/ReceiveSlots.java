// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.libfabric;

import io.reactivenetio.ffm.Fi;
import io.reactivenetio.ffm.FiEndpoint;
import io.reactivenetio.memory.Slab;
import io.reactivenetio.transport.base.ReceivePool;
import io.reactivenetio.transport.base.ReceiveSlot;
import org.jspecify.annotations.Nullable;

/** Posts receive buffers to libfabric, each a credit of the peer, and finds them again by their completions. */
final class ReceiveSlots {
    private final ReceivePool pool;
    private @Nullable FiEndpoint endpoint;
    private long descriptor;
    private int posted;

    ReceiveSlots(ReceivePool pool) {
        this.pool = pool;
    }

    int posted() {
        return posted;
    }

    /** Begins to post to {@code target}. */
    void open(FiEndpoint target, long memoryDescriptor) {
        endpoint = target;
        descriptor = memoryDescriptor;
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
    int post() {
        FiEndpoint target = endpoint;
        if (target == null) {
            return 0;
        }
        Slab slab = pool.slab();
        ReceiveSlot slot;
        while ((slot = pool.take()) != null) {
            int index = slot.index();
            int result = target.recv(slab.address(index), slab.slotSize(), descriptor,
                    OpContext.receive(index, slab.generation(index)));
            if (result != 0) {
                pool.putBack(slot);
                return result == -Fi.FI_EAGAIN ? 0 : result;
            }
            posted++;
        }
        return 0;
    }

    /** Takes the slot of a completion out of the posted ones; null for a completion of an earlier life. */
    @Nullable ReceiveSlot completed(long context) {
        int slot = OpContext.slot(context);
        if (slot >= pool.slab().slots() || pool.slab().generation(slot) != OpContext.generation(context)) {
            return null;
        }
        posted--;
        return pool.slot(slot);
    }

    /** Posts nothing more: the endpoint is about to be closed. What was posted may still complete. */
    void stop() {
        endpoint = null;
    }

    /** After the endpoint is closed and its completions are read nothing can arrive any more; how many slots were posted. */
    int close() {
        int left = posted;
        posted = 0;
        return left;
    }
}
