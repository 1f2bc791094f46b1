// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.ffm;

import java.lang.foreign.AddressLayout;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/** Memory that is shared with the kernel, mmap(2). Whoever unmaps it vouches that nobody uses it any more. */
@SuppressWarnings("restricted")
final class Mappings {
    private static final int PROT_READ_WRITE = 3;
    private static final int MAP_SHARED_POPULATE = 0x8001;
    private static final long FAILED = -1;

    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;
    private static final AddressLayout PTR = ValueLayout.ADDRESS;
    private static final MethodHandle MMAP = LibC.bind("mmap", FunctionDescriptor.of(LONG, PTR, LONG, INT, INT, INT, LONG));
    private static final MethodHandle MUNMAP = LibC.bind("munmap", FunctionDescriptor.of(INT, LONG, LONG));

    private Mappings() {
    }

    static MemorySegment map(int fd, long offset, long size) {
        MemorySegment captured = LibC.CAPTURED.get();
        try {
            long address = (long) MMAP.invokeExact(captured, MemorySegment.NULL, size, PROT_READ_WRITE, MAP_SHARED_POPULATE, fd,
                    offset);
            if (address == FAILED) {
                throw new IoUringException("mmap of " + size + " bytes of a ring: "
                        + LibC.strerror((int) LibC.result(address, captured)));
            }
            return MemorySegment.ofAddress(address).reinterpret(size);
        } catch (Throwable t) {
            throw LibC.unexpected(t);
        }
    }

    static void unmap(MemorySegment mapped) {
        MemorySegment captured = LibC.CAPTURED.get();
        try {
            int ignored = (int) MUNMAP.invokeExact(captured, mapped.address(), mapped.byteSize());
        } catch (Throwable t) {
            throw LibC.unexpected(t);
        }
    }
}
