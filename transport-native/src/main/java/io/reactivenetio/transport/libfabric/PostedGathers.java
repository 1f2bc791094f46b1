// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.libfabric;

import io.reactivenetio.ffm.fabric.Fi;
import io.reactivenetio.ffm.fabric.FiEndpoint;
import io.reactivenetio.ffm.fabric.FiMessage;
import io.reactivenetio.transport.SendCompletion;
import io.reactivenetio.transport.backend.GatherList;
import io.reactivenetio.transport.base.send.GatherPool;
import io.reactivenetio.transport.base.send.GatherSlot;
import org.jspecify.annotations.Nullable;

/**
 * Posts zero-copy sends to libfabric and finds them again by their completions, until which the provider may read the region and
 * the header. Confined to the loop.
 */
final class PostedGathers {
    private final @Nullable GatherPool pool;
    private final @Nullable FiMessage message;
    private final boolean deliveryComplete;
    private @Nullable FiEndpoint endpoint;
    private long headerDescriptor;
    private long regionDescriptor;
    private long owner;

    /** {@code deliveryComplete}: whether the provider tells transmission from delivery. */
    PostedGathers(@Nullable GatherPool pool, boolean deliveryComplete) {
        this.pool = pool;
        this.message = pool == null ? null : new FiMessage(GatherList.MAX_SPANS + 1);
        this.deliveryComplete = deliveryComplete;
    }

    void open(FiEndpoint target, long ofHeaders, long ofRegion, long ownerBits) {
        endpoint = target;
        owner = ownerBits;
        headerDescriptor = ofHeaders;
        regionDescriptor = ofRegion;
    }

    /** Returns 0, or the negated error. */
    int send(GatherSlot slot, SendCompletion level) {
        FiEndpoint target = endpoint;
        FiMessage gathered = message;
        if (target == null || gathered == null) {
            return -Fi.FI_EAGAIN;
        }
        gathered.clear();
        if (slot.headerLength() > 0 || slot.spans() == 0) {
            gathered.add(slot.headerAddress(), slot.headerLength(), headerDescriptor);
        }
        for (int i = 0; i < slot.spans(); i++) {
            gathered.add(slot.address(i), slot.length(i), regionDescriptor);
        }
        long flags = deliveryComplete && level == SendCompletion.DELIVERED
                ? Fi.FI_COMPLETION | Fi.FI_DELIVERY_COMPLETE : Fi.FI_COMPLETION;
        return target.sendMessage(gathered, owner | OpContext.gather(slot.index(), slot.generation()), flags);
    }

    /** The send of a completion, or null for one of an earlier use of the slot. */
    @Nullable GatherSlot completed(long context) {
        int index = OpContext.slot(context);
        GatherPool own = pool;
        if (own == null || index >= own.slots()) {
            return null;
        }
        GatherSlot slot = own.slot(index);
        return OpContext.isOf(context, slot.generation()) ? slot : null;
    }

    /** Sends nothing more: the endpoint is about to be closed. */
    void stop() {
        endpoint = null;
    }
}
