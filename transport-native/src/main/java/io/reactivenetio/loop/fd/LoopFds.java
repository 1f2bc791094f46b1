// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.loop.fd;

import io.reactivenetio.ffm.IoUring;
import io.reactivenetio.ffm.LibC;
import org.jspecify.annotations.Nullable;

/** The three file descriptors every loop has, and the ring that some have: all of them are opened, or none. */
public record LoopFds(int epoll, int wakeUp, int delays, @Nullable IoUring ring) {
    /** Takes over {@code ring}, also when it throws because no descriptors are left. */
    public static LoopFds open(@Nullable IoUring ring) {
        try {
            return openOthers(ring);
        } catch (RuntimeException e) {
            if (ring != null) {
                ring.close();
            }
            throw e;
        }
    }

    private static LoopFds openOthers(@Nullable IoUring ring) {
        int epoll = Errno.check("epoll_create1", LibC.epollCreate1(LibC.EPOLL_CLOEXEC));
        int wakeUp = LibC.eventfd(0, LibC.EFD_CLOEXEC | LibC.EFD_NONBLOCK);
        int delays = LibC.timerfdCreate(LibC.CLOCK_MONOTONIC, LibC.TFD_CLOEXEC | LibC.TFD_NONBLOCK);
        if (wakeUp < 0 || delays < 0) {
            closeIfOpen(epoll);
            closeIfOpen(wakeUp);
            closeIfOpen(delays);
        }
        Errno.check("eventfd", wakeUp);
        Errno.check("timerfd_create", delays);
        return new LoopFds(epoll, wakeUp, delays, ring);
    }

    /** Closes the descriptors, for a loop that could not be made of them. */
    public void close() {
        if (ring != null) {
            ring.close();
        }
        LibC.close(epoll);
        LibC.close(wakeUp);
        LibC.close(delays);
    }

    private static void closeIfOpen(int fd) {
        if (fd >= 0) {
            LibC.close(fd);
        }
    }
}
