// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.libfabric;

import io.reactivenetio.ffm.Fi;
import io.reactivenetio.ffm.FiEndpoint;
import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.memory.Slab;
import io.reactivenetio.transport.CompletionLevel;
import io.reactivenetio.transport.SendStatus;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The send side of an endpoint. At most {@code min(number, transmit queue)} sends are in flight, counted here, because the tcp
 * provider queues without bound and never says -FI_EAGAIN.
 */
final class SendSlots {
    private final EventLoop loop;
    private final Slab slab;
    private final SendSlot[] slots;
    private final boolean deliveryComplete;
    private @Nullable FiEndpoint endpoint;
    private long descriptor;
    private int limit;
    private int inFlight;
    private boolean parked;
    private int lastError;

    /** {@code deliveryComplete}: whether the provider tells transmission from delivery, or a completion always means delivery. */
    SendSlots(EventLoop loop, int size, int number, boolean deliveryComplete) {
        this.loop = loop;
        this.slab = new Slab(number, size);
        this.slots = new SendSlot[number];
        this.deliveryComplete = deliveryComplete;
        for (int i = 0; i < number; i++) {
            slots[i] = new SendSlot(i, this, slab.view(i));
        }
    }

    Slab slab() {
        return slab;
    }

    void open(FiEndpoint target, long memoryDescriptor, int transmitQueue) {
        endpoint = target;
        descriptor = memoryDescriptor;
        limit = Math.min(slots.length, transmitQueue);
    }

    @Nullable SendSlot lend() {
        int slot = slab.acquire();
        if (slot < 0) {
            parked = true;
            return null;
        }
        slots[slot].state = SendSlot.State.LENT;
        return slots[slot];
    }

    SendStatus send(SendSlot slot, CompletionLevel level) {
        if (slot.state != SendSlot.State.LENT) {
            return SendStatus.FAILED;
        }
        FiEndpoint target = endpoint;
        if (target == null) {
            released(slot);
            return SendStatus.FAILED;
        }
        if (inFlight >= limit) {
            parked = true;
            return SendStatus.NO_RESOURCES;
        }
        long address = slab.address(slot.index);
        long context = OpContext.send(slot.index, slab.generation(slot.index));
        int result = deliveryComplete && level == CompletionLevel.DELIVERY_COMPLETE
                ? target.sendMessage(address, slot.length(), descriptor, context, Fi.FI_COMPLETION | Fi.FI_DELIVERY_COMPLETE)
                : target.send(address, slot.length(), descriptor, context);
        if (result == 0) {
            slot.state = SendSlot.State.IN_FLIGHT;
            inFlight++;
            return SendStatus.OK;
        }
        if (result == -Fi.FI_EAGAIN) {
            parked = true;
            return SendStatus.NO_RESOURCES;
        }
        lastError = result;
        released(slot);
        return SendStatus.FAILED;
    }

    /** Takes the slot of a completion home; its key, or -1 for a completion of an earlier life. */
    int completed(long context) {
        int slot = OpContext.slot(context);
        if (slot >= slots.length || slab.generation(slot) != OpContext.generation(context)
                || slots[slot].state != SendSlot.State.IN_FLIGHT) {
            return -1;
        }
        inFlight--;
        slots[slot].state = SendSlot.State.HOME;
        slab.free(slot);
        return slot;
    }

    /** A lent slot comes back unsent. */
    void released(SendSlot slot) {
        if (slot.state != SendSlot.State.LENT) {
            throw new IllegalStateException("send buffer " + slot.index + " is not lent: " + slot.state);
        }
        slot.state = SendSlot.State.HOME;
        if (loop.inEventLoop()) {
            slab.free(slot.index);
        } else {
            slab.freeForeign(slot.index); // the loop is gone; the slot only counts towards freeing the memory
        }
    }

    /** Whether somebody was turned away and trying again can help now; asking resets it. */
    boolean takeParked() {
        boolean was = parked && inFlight < limit && slab.available() > 0;
        if (was) {
            parked = false;
        }
        return was;
    }

    int free() {
        return slab.available();
    }

    int inFlight() {
        return inFlight;
    }

    int lastError() {
        return lastError;
    }

    /** Sends no more, because the endpoint is about to be closed. */
    void stop() {
        endpoint = null;
    }

    /** After the endpoint is closed: the keys that will never complete. The memory goes with the last lent slot. */
    List<Integer> close() {
        stop();
        List<Integer> cancelled = new ArrayList<>(inFlight);
        for (SendSlot slot : slots) {
            if (slot.state == SendSlot.State.IN_FLIGHT) {
                cancelled.add(slot.index);
                slot.state = SendSlot.State.HOME;
                slab.free(slot.index);
            }
        }
        inFlight = 0;
        slab.retire(0);
        return cancelled;
    }
}
