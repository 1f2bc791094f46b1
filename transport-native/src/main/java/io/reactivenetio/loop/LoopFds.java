// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.loop;

import io.reactivenetio.ffm.LibC;

/** The three file descriptors every loop has: all of them are opened, or none. */
record LoopFds(int epoll, int wakeUp, int delays) {
    static LoopFds open() {
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
        return new LoopFds(epoll, wakeUp, delays);
    }

    private static void closeIfOpen(int fd) {
        if (fd >= 0) {
            LibC.close(fd);
        }
    }
}
