// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.ffm;

import java.lang.foreign.AddressLayout;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Memory for buffers, straight from the kernel by mmap(2). An arena writes zeros over what it allocates, so all of it is in use
 * at once, and the thread that asks for megabytes waits for as long as that takes. Here a page costs nothing before it is used.
 */
@SuppressWarnings("restricted")
public final class PageMemory {
    private static final int PROT_READ_WRITE = 3;
    private static final int MAP_PRIVATE_ANONYMOUS = 0x22;
    private static final long FAILED = -1;

    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;
    private static final AddressLayout PTR = ValueLayout.ADDRESS;
    private static final MethodHandle MMAP = LibC.bind("mmap", FunctionDescriptor.of(LONG, PTR, LONG, INT, INT, INT, LONG));
    private static final MethodHandle MUNMAP = LibC.bind("munmap", FunctionDescriptor.of(INT, LONG, LONG));

    private static final AtomicLong MAPPED = new AtomicLong();

    private PageMemory() {
    }

    /**
     * Maps {@code bytes} of zeros that begin with a page, and that go when {@code arena} is closed.
     *
     * @throws OutOfMemoryError if the kernel gives none
     */
    public static MemorySegment allocate(Arena arena, long bytes) {
        MemorySegment captured = LibC.CAPTURED.get();
        long address;
        try {
            address = (long) MMAP.invokeExact(captured, MemorySegment.NULL, bytes, PROT_READ_WRITE, MAP_PRIVATE_ANONYMOUS, -1,
                    0L);
        } catch (Throwable t) {
            throw LibC.unexpected(t);
        }
        if (address == FAILED) {
            throw new OutOfMemoryError("mmap of " + bytes + " bytes: " + LibC.strerror((int) LibC.result(address, captured)));
        }
        MAPPED.addAndGet(bytes);
        try {
            return MemorySegment.ofAddress(address).reinterpret(bytes, arena, PageMemory::unmap);
        } catch (RuntimeException | Error e) { // the arena is closed, or the heap is full
            unmap(address, bytes);
            throw e;
        }
    }

    private static void unmap(MemorySegment mapped) {
        unmap(mapped.address(), mapped.byteSize());
    }

    private static void unmap(long address, long bytes) {
        MemorySegment captured = LibC.CAPTURED.get();
        try {
            int ignored = (int) MUNMAP.invokeExact(captured, address, bytes);
        } catch (Throwable t) {
            throw LibC.unexpected(t);
        }
        MAPPED.addAndGet(-bytes);
    }

    /** Bytes that are mapped now. The JVM's own tracking of native memory does not know of them. */
    public static long mapped() {
        return MAPPED.get();
    }
}
