// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.ffm;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Memory for buffers, straight from the kernel by mmap(2). An arena writes zeros over what it allocates, so all of it is in use
 * at once, and the thread that asks for megabytes waits for as long as that takes. Here a page costs nothing before it is used.
 */
@SuppressWarnings("restricted")
public final class PageMemory {
    private static final AtomicLong MAPPED = new AtomicLong();

    private PageMemory() {
    }

    /**
     * Maps {@code bytes} of zeros that begin with a page, and that go when {@code arena} is closed.
     *
     * @throws OutOfMemoryError if the kernel gives none
     */
    public static MemorySegment allocate(Arena arena, long bytes) {
        long address = Mappings.mapZeros(bytes);
        if (address < 0) {
            throw new OutOfMemoryError("mmap of " + bytes + " bytes: " + LibC.strerror((int) address));
        }
        MAPPED.addAndGet(bytes);
        try {
            return MemorySegment.ofAddress(address).reinterpret(bytes, arena, PageMemory::unmap);
        } catch (RuntimeException | Error e) { // the arena is closed, or the heap is full
            unmap(address, bytes);
            throw e;
        }
    }

    /** Gives pages of mapped memory to the kernel. They stay mapped, and are zeros. The memory begins with a page. */
    public static void discard(MemorySegment mapped) {
        Mappings.discard(mapped.address(), mapped.byteSize());
    }

    private static void unmap(MemorySegment mapped) {
        unmap(mapped.address(), mapped.byteSize());
    }

    private static void unmap(long address, long bytes) {
        Mappings.unmap(address, bytes);
        MAPPED.addAndGet(-bytes);
    }

    /** Bytes that are mapped now. The JVM's own tracking of native memory does not know of them. */
    public static long mapped() {
        return MAPPED.get();
    }
}
