// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.memory;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * A fixed number of equal slots in one page-aligned block of native memory. A slot is home (free) or out (owned by whoever
 * acquired it); its generation changes each time it comes home, so a stale owner is recognised.
 *
 * <p>{@link #acquire}, {@link #free} and {@link #retire} are confined to one thread, the loop's. After {@link #retire} nothing is
 * handed out any more and the memory is given back when the last slot comes home; {@link #freeForeign} is for slots whose loop
 * has ended.
 */
public final class Slab {
    private final Block block;
    private final MemorySegment memory;
    private final ByteBuffer[] views;
    private final int[] generations;
    private final int[] home;
    private final int slotSize;
    private final int headroom;
    private final long stride;
    private int homeCount;
    /** The slots from the first one on that were ever acquired. */
    private int touched;
    private int strays;
    private boolean retired;
    private boolean freed;

    /** {@code slots} slots of {@code slotSize} bytes each, little-endian views. */
    public Slab(int slots, int slotSize) {
        this(slots, slotSize, 0);
    }

    /** {@code slots} slots with {@code headroom} bytes before each, for a header that leaves with the slot's bytes. */
    public Slab(int slots, int slotSize, int headroom) {
        this.headroom = headroom;
        this.stride = (slotSize + 63L + headroom) & -64L;
        this.slotSize = slotSize;
        this.views = new ByteBuffer[slots];
        this.generations = new int[slots];
        this.home = new int[slots];
        this.block = Block.of(stride * slots);
        this.memory = block.memory();
        try {
            for (int i = 0; i < slots; i++) {
                views[i] = memory.asSlice(i * stride + headroom, slotSize).asByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
                home[i] = slots - 1 - i;
            }
        } catch (RuntimeException | Error e) {
            Arrays.fill(views, null); // the heap may be full of them, and closing needs some
            block.giveBack(0);
            throw e;
        }
        homeCount = slots;
    }

    /** The index of a slot that is now the caller's, or -1 if none is home. The one used last comes first: its lines are warm. */
    public int acquire() {
        if (homeCount == 0 || retired) {
            return -1;
        }
        int slot = home[--homeCount];
        if (slot >= touched) {
            touched = slot + 1;
        }
        return slot;
    }

    /** Brings a slot home. */
    public void free(int slot) {
        if (retired) {
            freeForeign(slot);
        } else {
            generations[slot]++;
            home[homeCount++] = slot;
        }
    }

    /** Brings a slot home from any thread, for good: its loop has terminated, so it will not be handed out again. */
    public synchronized void freeForeign(int slot) {
        generations[slot]++;
        strays++;
        giveBackIfComplete();
    }

    /** Hands out nothing more; the memory goes when every slot is home, {@code abandoned} of those now out counted as such. */
    public synchronized void retire(int abandoned) {
        strays += abandoned;
        retired = true;
        giveBackIfComplete();
    }

    private void giveBackIfComplete() {
        if (retired && homeCount + strays == views.length && !freed) {
            freed = true;
            block.giveBack(touched * stride);
        }
    }

    public MemorySegment memory() {
        return memory;
    }

    public long address(int slot) {
        return memory.address() + offset(slot);
    }

    /** Where the slot begins in {@link #memory}, in bytes; its headroom is before that. */
    public long offset(int slot) {
        return slot * stride + headroom;
    }

    /** The slot's view; always the same object, so position and limit are its owner's to set. */
    public ByteBuffer view(int slot) {
        return views[slot];
    }

    public int generation(int slot) {
        return generations[slot];
    }

    public int slots() {
        return views.length;
    }

    public int slotSize() {
        return slotSize;
    }

    /** Slots that can be acquired now. */
    public int available() {
        return retired ? 0 : homeCount;
    }

    /** Whether the memory has been given back. */
    public synchronized boolean isFreed() {
        return freed;
    }
}
