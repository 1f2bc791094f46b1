// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.libfabric;

import io.reactivenetio.ffm.fabric.Fi;
import io.reactivenetio.ffm.fabric.FiEndpoint;
import io.reactivenetio.ffm.fabric.FiSharedReceive;
import io.reactivenetio.memory.Slab;
import io.reactivenetio.transport.base.receive.ReceivePool;
import io.reactivenetio.transport.base.receive.ReceiveSlot;
import org.jspecify.annotations.Nullable;

/**
 * Posts receive buffers to libfabric, to an endpoint or a shared receive context, and finds them again by their completions.
 * Each posted buffer is a credit of a peer, and the provider's to fill until its completion. Confined to the loop.
 */
final class PostedReceives {
    private final ReceivePool pool;
    private @Nullable FiEndpoint endpoint;
    private @Nullable FiSharedReceive shared;
    private long descriptor;
    private long owner;
    private @Nullable Slab addedBlock;
    private long addedDescriptor;
    private int posted;

    PostedReceives(ReceivePool pool) {
        this.pool = pool;
    }

    int posted() {
        return posted;
    }

    /** Begins to post to an endpoint, whose completions are known by {@code ownerBits}, see {@link QueuePlace}. */
    void open(FiEndpoint target, long memoryDescriptor, long ownerBits) {
        endpoint = target;
        descriptor = memoryDescriptor;
        owner = ownerBits;
        postFirst();
    }

    /** Begins to post to a shared receive context. */
    void open(FiSharedReceive target, long memoryDescriptor) {
        shared = target;
        descriptor = memoryDescriptor;
        postFirst();
    }

    private void postFirst() {
        int result = post();
        if (result != 0) {
            throw new IllegalStateException("fi_recv: " + result);
        }
    }

    /** The pool has grown, once, by {@code block}. */
    void addBlock(Slab block, long memoryDescriptor) {
        addedBlock = block;
        addedDescriptor = memoryDescriptor;
    }

    /**
     * Posts every free slot, as far as the provider's queue takes them. The others follow with the next completion.
     *
     * @return 0, or the negated error that broke the endpoint
     */
    int post() {
        ReceiveSlot slot;
        while ((endpoint != null || shared != null) && (slot = pool.take()) != null) {
            int result = post(slot);
            if (result != 0) {
                pool.putBack(slot);
                return result == -Fi.FI_EAGAIN ? 0 : result;
            }
            posted++;
        }
        return 0;
    }

    private int post(ReceiveSlot slot) {
        FiEndpoint target = endpoint;
        long memory = addedBlock != null && addedBlock == slot.block() ? addedDescriptor : descriptor;
        long context = owner | OpContext.receive(slot.index(), slot.generation());
        if (target != null) {
            return target.recv(slot.address(), pool.slotSize(), memory, context);
        }
        FiSharedReceive common = shared;
        return common == null ? -Fi.FI_EAGAIN : common.recv(slot.address(), pool.slotSize(), memory, context);
    }

    /** Takes the slot of a completion out of the posted ones. Null for a completion of an earlier use of the slot. */
    @Nullable ReceiveSlot completed(long context) {
        int index = OpContext.slot(context);
        if (index >= pool.slots() || !OpContext.isOf(context, pool.slot(index).generation())) {
            return null;
        }
        posted--;
        return pool.slot(index);
    }

    /** Posts nothing more: the endpoint is about to be closed. What was posted may still complete. */
    void stop() {
        endpoint = null;
        shared = null;
    }
}
