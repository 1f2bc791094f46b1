// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.base;

import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.memory.Slab;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The send buffers of an endpoint: each is home, lent, or in flight, and at most {@link #limit} are in flight. Who is turned
 * away is remembered, so that he can be called back. Loop thread, but for a release after the loop has terminated.
 */
public final class SendPool {
    private final EventLoop loop;
    private final Slab slab;
    private final SendSlot[] slots;
    private final Runnable onReleased;
    private int limit;
    private int inFlight;
    private boolean parked;

    /**
     * {@code number} buffers of {@code size} bytes, each after {@code headroom} bytes of the backend's own. {@code onReleased}
     * is called when one comes back unsent, on the loop, while somebody waits for one.
     */
    SendPool(EventLoop loop, int size, int number, int headroom, Runnable onReleased) {
        this.loop = loop;
        this.onReleased = onReleased;
        this.slab = new Slab(number, size, headroom);
        this.slots = new SendSlot[number];
        this.limit = number;
        for (int i = 0; i < number; i++) {
            slots[i] = new SendSlot(i, this, slab.view(i));
        }
    }

    public Slab slab() {
        return slab;
    }

    public SendSlot slot(int index) {
        return slots[index];
    }

    /** Allows fewer in flight than there are buffers. */
    public void limit(int most) {
        limit = Math.min(slots.length, most);
    }

    @Nullable SendSlot lend() {
        int index = slab.acquire();
        if (index < 0) {
            parked = true;
            return null;
        }
        slots[index].state = SendSlot.State.LENT;
        return slots[index];
    }

    /** Whether one more may be in flight; if not, that is remembered. */
    boolean admits() {
        parked |= inFlight >= limit;
        return inFlight < limit;
    }

    /** The backend has accepted a lent slot. */
    void accepted(SendSlot slot) {
        slot.state = SendSlot.State.IN_FLIGHT;
        inFlight++;
    }

    /** The backend has refused one for now. */
    void park() {
        parked = true;
    }

    /** A send is over: its slot goes home. False if that slot was not in flight. */
    public boolean completed(int index) {
        if (slots[index].state != SendSlot.State.IN_FLIGHT) {
            return false;
        }
        inFlight--;
        slots[index].state = SendSlot.State.HOME;
        slab.free(index);
        return true;
    }

    /** A lent slot comes back unsent. */
    void released(SendSlot slot) {
        if (slot.state != SendSlot.State.LENT) {
            throw new IllegalStateException("send buffer " + slot.key() + " is not lent: " + slot.state);
        }
        slot.state = SendSlot.State.HOME;
        if (loop.inEventLoop()) {
            slab.free(slot.key());
            if (parked) {
                onReleased.run();
            }
        } else {
            slab.freeForeign(slot.key()); // the loop is gone; the slot only counts towards freeing the memory
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

    /** Nothing is sent any more: the keys that will never complete. The memory goes with the last lent slot. */
    List<Integer> close() {
        List<Integer> cancelled = new ArrayList<>(inFlight);
        for (SendSlot slot : slots) {
            if (slot.state == SendSlot.State.IN_FLIGHT) {
                cancelled.add(slot.key());
                slot.state = SendSlot.State.HOME;
                slab.free(slot.key());
            }
        }
        inFlight = 0;
        slab.retire(0);
        return cancelled;
    }
}
