// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.loop;

import io.reactivenetio.loop.fd.EventFd;
import io.reactivenetio.loop.fd.GuardedFd;

/**
 * Calls its callback on the loop thread after it was fired from any thread; an eventfd(2), like the signals of NetIO-next.
 *
 * <p>Made by {@link EventLoop#openSignal} fires coalesce: one callback for all of them that came before it. Made by
 * {@link EventLoop#openSemaphoreSignal} there are exactly as many callbacks as fires (EFD_SEMAPHORE), 16 at most in one turn.
 * A terminating loop closes its signals; fires not yet delivered are then lost.
 */
public final class Signal implements AutoCloseable {
    /** A few at once save epoll_wait calls; no more, lest a signal that is fired all the time keeps the loop to itself. */
    static final int SEMAPHORE_READS_PER_TURN = 16;

    private final WatchedFd watched;

    private Signal(WatchedFd watched) {
        this.watched = watched;
    }

    static Signal open(WatchedFds fds, boolean semaphore, Runnable callback) {
        return new Signal(fds.open(EventFd.open(semaphore), semaphore ? SEMAPHORE_READS_PER_TURN : 1, callback));
    }

    /**
     * Any thread, the callback itself included: the callback then runs again, after other work had its turn. One write(2), no
     * allocation, never blocks. Does nothing when the signal or its loop is closed.
     */
    public void fire() {
        GuardedFd fd = watched.fd();
        if (fd.enter()) {
            try {
                EventFd.increment(fd.fd());
            } finally {
                fd.exit();
            }
        }
    }

    /**
     * Any thread, idempotent. On the loop thread no callback follows; from another thread one that has begun, or is about to,
     * may still run. Fires not yet delivered are lost.
     */
    @Override
    public void close() {
        watched.close();
    }

    /** True once it was closed, by {@link #close} or with its loop. */
    public boolean isClosed() {
        return watched.fd().isShut();
    }
}
