// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.base;

import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.memory.Slab;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Receive buffers, of one endpoint or of several that share them. Each is home, taken by the backend to be filled, or held by the
 * owners of the message in it; when the last reference is released it goes home and the backend is told. Loop thread, but for
 * {@link ReceiveSlot}.
 */
public final class ReceivePool {
    private final EventLoop loop;
    private final Runnable onHome;
    private final Ration ration;
    private final int size;
    private final int number;
    private final List<Slab> blocks = new ArrayList<>(1);
    private final List<ReceiveShare> shares = new ArrayList<>(0);
    private ReceiveSlot[] slots = new ReceiveSlot[0];
    private boolean serving;
    private boolean closed;

    /**
     * {@code shared}: whether several endpoints receive into it. {@code onHome} is called on the loop, possibly from within a
     * release, for each slot that comes home until the close.
     */
    public ReceivePool(EventLoop loop, int size, int number, boolean shared, Runnable onHome) {
        this.loop = loop;
        this.onHome = onHome;
        this.size = size;
        this.number = number;
        this.ration = new Ration(number, shared);
        grow(number, block -> { });
    }

    /** Adds a block of {@code more} slots, which are home, after {@code prepare}; nothing if anything fails. */
    private void grow(int more, Consumer<Slab> prepare) {
        int first = slots.length;
        ReceiveSlot[] all = Arrays.copyOf(slots, first + more);
        Slab block = new Slab(more, size);
        try {
            for (int i = 0; i < more; i++) {
                all[first + i] = new ReceiveSlot(first + i, i, block, this);
            }
            blocks.add(block);
            prepare.accept(block);
        } catch (RuntimeException | Error e) {
            Arrays.fill(all, first, first + more, null); // the heap may be full of them, and what follows needs some
            blocks.remove(block);
            block.retire(0);
            throw e;
        }
        slots = all;
    }

    /** Blocks of memory, one unless slots had to be replaced. */
    public List<Slab> blocks() {
        return blocks;
    }

    /** Bytes per slot. */
    public int slotSize() {
        return size;
    }

    /** Slots in all. */
    public int slots() {
        return slots.length;
    }

    public ReceiveSlot slot(int index) {
        return slots[index];
    }

    /** Slots that are home. */
    public int available() {
        int home = 0;
        for (int i = 0; i < blocks.size(); i++) {
            home += blocks.get(i).available();
        }
        return home;
    }

    /** Takes one that is home, to be filled; null if there is none. */
    public @Nullable ReceiveSlot take() {
        for (int i = blocks.size() - 1; i >= 0; i--) {
            int index = blocks.get(i).acquire();
            if (index >= 0) {
                int first = i == 0 ? 0 : slots.length - blocks.get(i).slots();
                ReceiveSlot slot = slots[first + index];
                slot.taken = true;
                return slot;
            }
        }
        return null;
    }

    /** A slot that was taken goes home without a message. */
    public void putBack(ReceiveSlot slot) {
        slot.taken = false;
        home(slot);
        if (ration.someoneWaits()) {
            serveLater();
        }
    }

    private void home(ReceiveSlot slot) {
        ReceiveShare share = slot.share;
        if (share != null) {
            slot.share = null;
            ration.gave(share.member());
        }
        slot.block().free(slot.indexInBlock());
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
            slot.block().freeForeign(slot.indexInBlock());
        }
    }

    void recycle(ReceiveSlot slot) {
        home(slot);
        if (!closed) {
            onHome.run();
            if (ration.someoneWaits()) {
                serveLater();
            }
        }
    }

    // ---- shared among endpoints

    public void join(ReceiveShare share) {
        shares.add(share);
        ration.join(share.member());
    }

    /** What it holds comes home when it is released. */
    public void leave(ReceiveShare share) {
        shares.remove(share);
        ration.leave(share.member());
        if (ration.someoneWaits()) {
            serveLater();
        }
    }

    /** Takes one for {@code share}; null if there is none for it: then it is called when there is. */
    public @Nullable ReceiveSlot take(ReceiveShare share) {
        if (ration.admits(share.member(), available())) {
            ReceiveSlot slot = take();
            if (slot != null) {
                assign(slot, share);
                return slot;
            }
        }
        ration.await(share.member());
        if (available() > 0) {
            serveLater();
        }
        return null;
    }

    /** A taken slot turns out to be filled by {@code share}. */
    public void assign(ReceiveSlot slot, ReceiveShare share) {
        slot.share = share;
        ration.took(share.member());
    }

    private void serveLater() {
        if (!serving) {
            serving = true;
            loop.atEndOfTurn(this::serve);
        }
    }

    private void serve() {
        serving = false;
        for (int left = ration.waiting(); left > 0 && available() > 0 && !closed; left--) {
            Ration.Member next = ration.serveNext(available());
            if (next != null) {
                next.takeTurn();
            }
        }
        ration.servedAll();
    }

    /** The endpoint that holds most, if that is more than its part while others have to wait; null if nobody does. */
    public @Nullable ReceiveShare hoarder() {
        ReceiveShare most = null;
        for (ReceiveShare share : shares) {
            if (most == null || share.held() > most.held()) {
                most = share;
            }
        }
        return most != null && shares.size() > 1 && most.held() > number / shares.size() ? most : null;
    }

    /**
     * Replaces what an endpoint that is thrown out holds, so that the others can go on, but only once over: while all that was
     * replaced is still held, memory does not grow further.
     *
     * @param prepare is given the new block before anything of it can be taken; if it throws, there is none
     * @return whether there is a new block
     */
    public boolean replace(int held, Consumer<Slab> prepare) {
        int more = Math.min(held, 2 * number - slots.length);
        if (more <= 0 || blocks.size() > 1) {
            return false;
        }
        grow(more, prepare);
        return true;
    }

    /** Nothing is filled any more. The memory goes with the last slot that is held. */
    public void close() {
        closed = true;
        for (Slab block : blocks) {
            int taken = 0;
            for (ReceiveSlot slot : slots) {
                if (slot.block() == block && slot.taken) {
                    taken++;
                }
            }
            block.retire(taken);
        }
    }
}
