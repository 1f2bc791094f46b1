// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.base;

import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.memory.Slab;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * The receive buffers of an endpoint. Each is home, taken by the backend to be filled, or held by the owners of the message in
 * it; when the last reference is released it goes home and the backend is told. Loop thread, but for {@link ReceiveSlot}.
 */
public final class ReceivePool {
    private final EventLoop loop;
    private final Slab slab;
    private final ReceiveSlot[] slots;
    private final Runnable onHome;
    private boolean closed;

    /** {@code onHome} is called on the loop, possibly from within a release, for each slot that comes home until the close. */
    public ReceivePool(EventLoop loop, int size, int number, Runnable onHome) {
        this.loop = loop;
        this.slab = new Slab(number, size);
        this.onHome = onHome;
        this.slots = new ReceiveSlot[number];
        for (int i = 0; i < number; i++) {
            slots[i] = new ReceiveSlot(i, this, slab.view(i));
        }
    }

    public Slab slab() {
        return slab;
    }

    /** Takes one that is home, to be filled; null if there is none. */
    public @Nullable ReceiveSlot take() {
        int index = slab.acquire();
        return index < 0 ? null : slots[index];
    }

    public ReceiveSlot slot(int index) {
        return slots[index];
    }

    /** A slot that was taken goes home without a message. */
    public void putBack(ReceiveSlot slot) {
        slab.free(slot.index());
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
            slab.freeForeign(slot.index());
        }
    }

    void recycle(ReceiveSlot slot) {
        slab.free(slot.index());
        if (!closed) {
            onHome.run();
        }
    }

    /**
     * Nothing is filled any more. The memory goes with the last slot that is held.
     *
     * @param taken how many are taken and will not be put back
     */
    public void close(int taken) {
        closed = true;
        slab.retire(taken);
    }
}
