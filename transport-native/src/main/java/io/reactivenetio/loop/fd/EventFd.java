// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.loop.fd;

import io.reactivenetio.ffm.LibC;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** What there is to do with an eventfd(2) but reading it. Any thread. */
public final class EventFd {
    private static final MemorySegment ONE = oneInNativeMemory();

    private EventFd() {
    }

    private static MemorySegment oneInNativeMemory() {
        MemorySegment one = Arena.ofAuto().allocate(Long.BYTES, Long.BYTES);
        one.set(ValueLayout.JAVA_LONG, 0, 1);
        return one.asReadOnly();
    }

    /** A new one, non-blocking. Throws UncheckedIOException if no descriptors are left. */
    public static int open(boolean semaphore) {
        int flags = LibC.EFD_CLOEXEC | LibC.EFD_NONBLOCK | (semaphore ? LibC.EFD_SEMAPHORE : 0);
        return Errno.check("eventfd", LibC.eventfd(0, flags));
    }

    /** Adds 1 to it: one write(2), which allocates nothing and never blocks. */
    public static void increment(int fd) {
        LibC.write(fd, ONE, Long.BYTES);
    }
}
