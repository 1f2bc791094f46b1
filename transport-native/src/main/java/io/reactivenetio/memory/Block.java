// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.memory;

import io.reactivenetio.ffm.PageMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Page-aligned native memory of a connection, all zeros. Any thread.
 *
 * <p>What is given back rests for a moment, zeros again, and is the next block of the same size. To map memory and to
 * close its arena, for which the JVM stops each thread, is a third of what opening and closing a connection would cost. A view
 * of it that somebody keeps after {@link #giveBack} shows zeros or what belongs to another connection, and fails once the memory
 * has gone.
 */
public final class Block {
    /** From this many bytes on a block is mapped by itself. The kernel then gives it a page when that is first used. */
    private static final long MAPPED = 16 * 1024;
    private static final long PAGE = 4096;
    /** Up to this many bytes, zeros are written faster than the kernel takes the pages. */
    private static final long OVERWRITTEN = 16 * 1024;

    private final Arena arena = Arena.ofShared();
    private final MemorySegment memory;
    private boolean taken = true;

    private Block(long bytes) {
        try {
            memory = isMapped(bytes) ? PageMemory.allocate(arena, bytes) : arena.allocate(bytes, PAGE);
        } catch (RuntimeException | Error e) {
            arena.close();
            throw e;
        }
    }

    private static boolean isMapped(long bytes) {
        return bytes >= MAPPED;
    }

    /**
     * A block of {@code bytes}.
     *
     * @throws OutOfMemoryError if there is no memory for it
     */
    public static Block of(long bytes) {
        Block resting = RestingBlocks.ALL.take(bytes);
        if (resting != null) {
            resting.taken = true;
            return resting;
        }
        try {
            return new Block(bytes);
        } catch (OutOfMemoryError e) {
            closeResting(); // they may be what it lacks: memory, or a number of mappings
            return new Block(bytes);
        }
    }

    /** The memory. Valid until {@link #giveBack}. */
    public MemorySegment memory() {
        return memory;
    }

    /**
     * Gives the memory back, once. Nobody uses it any more, the kernel and a network card included.
     *
     * @param used so many bytes, from the first one on, may be other than zero
     * @throws IllegalStateException if it was given back before: two connections would get it
     */
    public void giveBack(long used) {
        if (!taken) {
            throw new IllegalStateException("a block of " + memory.byteSize() + " bytes was given back twice");
        }
        taken = false;
        if (used <= OVERWRITTEN || !isMapped(memory.byteSize())) {
            memory.asSlice(0, used).fill((byte) 0);
        } else {
            PageMemory.discard(memory.asSlice(0, used));
        }
        RestingBlocks.ALL.add(this);
    }

    /** Gives all memory that rests to the kernel now, but what a system call on another thread has a view of. */
    public static void closeResting() {
        RestingBlocks.ALL.close();
    }

    /** Whether the memory could be given to the kernel. False while a system call on another thread has a view of it. */
    boolean hasClosed() {
        try {
            arena.close();
            return true;
        } catch (IllegalStateException inUse) {
            return false;
        }
    }
}
