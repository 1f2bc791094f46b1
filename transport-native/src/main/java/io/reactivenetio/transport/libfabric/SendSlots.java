// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.libfabric;

import io.reactivenetio.ffm.Fi;
import io.reactivenetio.ffm.FiEndpoint;
import io.reactivenetio.memory.Slab;
import io.reactivenetio.transport.CompletionLevel;
import io.reactivenetio.transport.base.SendPool;
import io.reactivenetio.transport.base.SendSlot;
import org.jspecify.annotations.Nullable;

/**
 * Hands send buffers to libfabric, and finds them again by their completions. At most as many as the transmit queue takes are in
 * flight, counted by the base, because the tcp provider queues without bound and never says -FI_EAGAIN.
 */
final class SendSlots {
    private final SendPool pool;
    private final boolean deliveryComplete;
    private @Nullable FiEndpoint endpoint;
    private long descriptor;

    /** {@code deliveryComplete}: whether the provider tells transmission from delivery, or a completion always means delivery. */
    SendSlots(SendPool pool, boolean deliveryComplete) {
        this.pool = pool;
        this.deliveryComplete = deliveryComplete;
    }

    void open(FiEndpoint target, long memoryDescriptor) {
        endpoint = target;
        descriptor = memoryDescriptor;
    }

    /** 0, or the negated error. */
    int send(SendSlot slot, CompletionLevel level) {
        FiEndpoint target = endpoint;
        if (target == null) {
            return -Fi.FI_EAGAIN;
        }
        Slab slab = pool.slab();
        long address = slab.address(slot.key());
        long context = OpContext.send(slot.key(), slab.generation(slot.key()));
        return deliveryComplete && level == CompletionLevel.DELIVERY_COMPLETE
                ? target.sendMessage(address, slot.length(), descriptor, context, Fi.FI_COMPLETION | Fi.FI_DELIVERY_COMPLETE)
                : target.send(address, slot.length(), descriptor, context);
    }

    /** Asks the peer's network card for an acknowledgement of nothing. 0, or the negated error. */
    int ask(FiEndpoint target) {
        return target.writeNothing(pool.slab().memory().address(), descriptor, OpContext.QUESTION);
    }

    /** The key of a completion, or -1 for one of an earlier life or a question. */
    int completed(long context) {
        int slot = OpContext.slot(context);
        return slot < pool.slab().slots() && pool.slab().generation(slot) == OpContext.generation(context) ? slot : -1;
    }

    /** Sends nothing more: the endpoint is about to be closed. */
    void stop() {
        endpoint = null;
    }
}
