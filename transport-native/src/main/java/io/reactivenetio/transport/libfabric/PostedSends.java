// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.libfabric;

import io.reactivenetio.ffm.fabric.Fi;
import io.reactivenetio.ffm.fabric.FiEndpoint;
import io.reactivenetio.memory.Slab;
import io.reactivenetio.transport.SendCompletion;
import io.reactivenetio.transport.base.send.SendPool;
import io.reactivenetio.transport.base.send.SendSlot;
import org.jspecify.annotations.Nullable;

/**
 * Posts send buffers to libfabric and finds them again by their completions. The base counts those in flight, at most as many as
 * the transmit queue takes: the tcp provider queues without bound and never says -FI_EAGAIN. The provider may read a buffer until
 * its completion. Confined to the loop.
 */
final class PostedSends {
    private final SendPool pool;
    private final boolean deliveryComplete;
    private @Nullable FiEndpoint endpoint;
    private long descriptor;
    private long owner;

    /** {@code deliveryComplete}: whether the provider tells transmission from delivery, or a completion always means delivery. */
    PostedSends(SendPool pool, boolean deliveryComplete) {
        this.pool = pool;
        this.deliveryComplete = deliveryComplete;
    }

    void open(FiEndpoint target, long memoryDescriptor, long ownerBits) {
        endpoint = target;
        descriptor = memoryDescriptor;
        owner = ownerBits;
    }

    /** Returns 0, or the negated error. */
    int send(SendSlot slot, SendCompletion level) {
        FiEndpoint target = endpoint;
        if (target == null) {
            return -Fi.FI_EAGAIN;
        }
        Slab slab = pool.slab();
        long address = slab.address(slot.key());
        long context = owner | OpContext.send(slot.key(), slab.generation(slot.key()));
        return deliveryComplete && level == SendCompletion.DELIVERED
                ? target.sendMessage(address, slot.length(), descriptor, context, Fi.FI_COMPLETION | Fi.FI_DELIVERY_COMPLETE)
                : target.send(address, slot.length(), descriptor, context);
    }

    /** Posts an RDMA write of no bytes, which the peer's network card acknowledges. Returns 0, or the negated error. */
    int probe(FiEndpoint target) {
        return target.writeNothing(pool.slab().memory().address(), descriptor, owner | OpContext.PROBE);
    }

    /** The key of a completion, or -1 for one of an earlier use of the slot, or of a probe. */
    int completed(long context) {
        int slot = OpContext.slot(context);
        return slot < pool.slab().slots() && OpContext.isOf(context, pool.slab().generation(slot)) ? slot : -1;
    }

    /** Sends nothing more: the endpoint is about to be closed. */
    void stop() {
        endpoint = null;
    }
}
