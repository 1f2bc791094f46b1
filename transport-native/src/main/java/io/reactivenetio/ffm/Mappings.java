// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.ffm;

import java.lang.foreign.AddressLayout;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/** mmap(2) and munmap(2). Whoever unmaps memory vouches that nobody uses it any more. */
@SuppressWarnings("restricted")
final class Mappings {
    private static final int PROT_READ_WRITE = 3;
    private static final int MAP_SHARED_POPULATE = 0x8001;
    private static final int MAP_PRIVATE_ANONYMOUS = 0x22;
    private static final int MADV_DONTNEED = 4;

    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;
    private static final AddressLayout PTR = ValueLayout.ADDRESS;
    private static final MethodHandle MMAP = LibC.bind("mmap", FunctionDescriptor.of(LONG, PTR, LONG, INT, INT, INT, LONG));
    private static final MethodHandle MADVISE = LibC.bind("madvise", FunctionDescriptor.of(INT, LONG, LONG, INT));
    private static final MethodHandle MUNMAP = LibC.bind("munmap", FunctionDescriptor.of(INT, LONG, LONG));

    private Mappings() {
    }

    /** Memory that is shared with the kernel: a part of a ring. */
    static MemorySegment map(int fd, long offset, long size) {
        long address = map(MAP_SHARED_POPULATE, fd, offset, size);
        if (address < 0) {
            throw new IoUringException("mmap of " + size + " bytes of a ring: " + LibC.strerror((int) address));
        }
        return MemorySegment.ofAddress(address).reinterpret(size);
    }

    /** The address of new memory, all zeros, or what went wrong as a negative number. */
    static long mapZeros(long size) {
        return map(MAP_PRIVATE_ANONYMOUS, -1, 0, size);
    }

    private static long map(int flags, int fd, long offset, long size) {
        MemorySegment captured = LibC.CAPTURED.get();
        try {
            return LibC.result((long) MMAP.invokeExact(captured, MemorySegment.NULL, size, PROT_READ_WRITE, flags, fd, offset),
                    captured);
        } catch (Throwable t) {
            throw LibC.unexpected(t);
        }
    }

    static void unmap(MemorySegment mapped) {
        unmap(mapped.address(), mapped.byteSize());
    }

    static void unmap(long address, long size) {
        MemorySegment captured = LibC.CAPTURED.get();
        try {
            int ignored = (int) MUNMAP.invokeExact(captured, address, size);
        } catch (Throwable t) {
            throw LibC.unexpected(t);
        }
    }

    /** Gives the pages of private memory to the kernel: reading it shows zeros. What fails is filled with zeros. */
    static void discard(long address, long size) {
        MemorySegment captured = LibC.CAPTURED.get();
        int result;
        try {
            result = (int) MADVISE.invokeExact(captured, address, size, MADV_DONTNEED);
        } catch (Throwable t) {
            throw LibC.unexpected(t);
        }
        if (result != 0) { // locked pages, after mlockall
            MemorySegment.ofAddress(address).reinterpret(size).fill((byte) 0);
        }
    }
}
