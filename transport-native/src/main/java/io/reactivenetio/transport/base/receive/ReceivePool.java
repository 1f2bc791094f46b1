// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.base.receive;

import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.memory.FairShare;
import io.reactivenetio.memory.Slab;
import io.reactivenetio.transport.backend.SharedBuffers;
import io.reactivenetio.transport.exceptions.NetioException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Receive buffers of one endpoint, or of several that share them. Each buffer is free, taken by the backend to be filled, or held
 * by the owners of the message in it. When its last reference is released, it becomes free and the backend is told. Only the loop
 * may use the pool; any thread may release a {@link ReceiveSlot}.
 */
public final class ReceivePool {
    private final EventLoop loop;
    private final Runnable onFree;
    private final FairShare fairShare;
    private final int size;
    private final int number;
    private final List<Slab> blocks = new ArrayList<>(1);
    private final List<ReceiveShare> shares = new ArrayList<>(0);
    private ReceiveSlot[] slots = new ReceiveSlot[0];
    private boolean serving;
    private boolean closed;

    /**
     * {@code shared} says whether several endpoints receive into the pool. The loop calls {@code onFree} for each slot that
     * becomes free until the close, possibly from within a release.
     */
    public ReceivePool(EventLoop loop, int size, int number, boolean shared, Runnable onFree) {
        this.loop = loop;
        this.onFree = onFree;
        this.size = size;
        this.number = number;
        this.fairShare = new FairShare(number, shared);
        grow(number, block -> { });
    }

    /** Buffers that several endpoints share. {@code onFree} as above. */
    static ReceivePool shared(EventLoop loop, SharedBuffers buffers, Runnable onFree) {
        try {
            return new ReceivePool(loop, buffers.size(), buffers.number(), true, onFree);
        } catch (OutOfMemoryError e) {
            throw new NetioException("no memory for the shared receive buffers, " + buffers.number() + " x " + buffers.size()
                    + " bytes: use fewer or smaller ones", e);
        }
    }

    /** Calls {@code prepare}, then adds a block of {@code more} free slots. If anything fails, nothing has changed. */
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

    /** Free slots. */
    public int available() {
        int free = 0;
        for (int i = 0; i < blocks.size(); i++) {
            free += blocks.get(i).available();
        }
        return free;
    }

    /** Takes a free slot, to be filled. The result is null if there is none. */
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

    /** Frees a slot that was taken and has no message. */
    public void putBack(ReceiveSlot slot) {
        slot.taken = false;
        free(slot);
        if (fairShare.hasWaiting()) {
            serveLater();
        }
    }

    private void free(ReceiveSlot slot) {
        ReceiveShare share = slot.share;
        if (share != null) {
            slot.share = null;
            fairShare.gave(share.member());
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
        free(slot);
        if (!closed) {
            onFree.run();
            if (fairShare.hasWaiting()) {
                serveLater();
            }
        }
    }

    // ---- shared among endpoints

    public void join(ReceiveShare share) {
        shares.add(share);
        fairShare.join(share.member());
    }

    /** Removes an endpoint. The slots that it holds become free when they are released. */
    public void leave(ReceiveShare share) {
        shares.remove(share);
        fairShare.leave(share.member());
        if (fairShare.hasWaiting()) {
            serveLater();
        }
    }

    /** Takes a slot for {@code share}. If there is none for it, the result is null, and it is called when there is one. */
    public @Nullable ReceiveSlot take(ReceiveShare share) {
        if (fairShare.admits(share.member(), available())) {
            ReceiveSlot slot = take();
            if (slot != null) {
                assign(slot, share);
                return slot;
            }
        }
        fairShare.await(share.member());
        if (available() > 0) {
            serveLater();
        }
        return null;
    }

    /** Assigns a taken slot to the share whose message is in it. */
    public void assign(ReceiveSlot slot, ReceiveShare share) {
        slot.share = share;
        fairShare.took(share.member());
    }

    private void serveLater() {
        if (!serving) {
            serving = true;
            loop.atEndOfTurn(this::serve);
        }
    }

    private void serve() {
        serving = false;
        for (int left = fairShare.waiting(); left > 0 && available() > 0 && !closed; left--) {
            FairShare.Member next = fairShare.callNext(available());
            if (next != null) {
                next.onTurn();
            }
        }
        fairShare.endCalls();
    }

    /** Returns the share that holds most slots, if that is more than its equal part; else null. */
    public @Nullable ReceiveShare largestHolder() {
        ReceiveShare most = null;
        for (ReceiveShare share : shares) {
            if (most == null || share.held() > most.held()) {
                most = share;
            }
        }
        return most != null && shares.size() > 1 && most.held() > number / shares.size() ? most : null;
    }

    /**
     * Replaces the slots that an evicted endpoint holds, so that the others can go on. It does so only once: the pool never has
     * more than twice its number of slots.
     *
     * @param prepare is given the new block before a slot of it can be taken; if it throws, there is no new block
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

    /** Closes the pool. Its memory is freed with the last slot that is held. */
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
