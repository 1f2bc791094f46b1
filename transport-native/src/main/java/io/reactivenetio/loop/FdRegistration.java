// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.loop;

import io.reactivenetio.ffm.EpollEvents;
import io.reactivenetio.ffm.LibC;

/**
 * A file descriptor watched by an {@link EventLoop}, level-triggered unless {@link #CHANGES} is asked for. Used on the loop
 * thread only, or before the loop runs by one thread at a time; otherwise IllegalStateException. The descriptor remains the
 * user's: close the registration first, the descriptor after it. A terminating loop closes the registrations that are left.
 */
public final class FdRegistration implements AutoCloseable {
    /** The descriptor can be read without blocking, or is at its end: EPOLLIN. */
    public static final int READABLE = EpollEvents.EPOLLIN;
    /** The descriptor can be written without blocking: EPOLLOUT. */
    public static final int WRITABLE = EpollEvents.EPOLLOUT;

    /**
     * With the others: each is reported once now, and then again when more has come, not for as long as it lasts: EPOLLET. For
     * {@link #modify} only.
     */
    public static final int CHANGES = (int) EpollEvents.EPOLLET;

    private static final int ALWAYS_REPORTED = EpollEvents.EPOLLERR | EpollEvents.EPOLLHUP;

    private final Epoll epoll;
    private final int fd;
    private final int index;
    private final int generation;
    private final FdHandler handler;
    private int interest;
    private boolean closed;

    FdRegistration(Epoll epoll, int fd, int index, int generation, FdHandler handler) {
        this.epoll = epoll;
        this.fd = fd;
        this.index = index;
        this.generation = generation;
        this.handler = handler;
    }

    /**
     * Replaces the events watched for. With 0 the descriptor leaves epoll until the next call: not even an error or a hang-up,
     * which epoll reports unasked, is then reported, and a dead descriptor costs no CPU.
     *
     * @throws IllegalArgumentException for other events than READABLE, WRITABLE and CHANGES
     * @throws IllegalStateException on another thread, or when closed
     * @throws java.io.UncheckedIOException if epoll_ctl(2) fails
     */
    public void modify(int events) {
        requireKnown(events & ~CHANGES);
        epoll.ownership().requireOwnerIfClaimed();
        if (closed) {
            throw new IllegalStateException("The registration is closed");
        }
        setInterest(events);
    }

    /** Stops watching: the handler is not called any more, even if its event has been fetched already. Idempotent. */
    @Override
    public void close() {
        if (!closed) {
            epoll.ownership().requireOwnerIfClaimed();
            remove();
        }
    }

    static void requireKnown(int events) {
        if ((events & ~(READABLE | WRITABLE)) != 0) {
            throw new IllegalArgumentException("Events other than READABLE and WRITABLE: 0x" + Integer.toHexString(events));
        }
    }

    void setInterest(int events) {
        if (events == interest) {
            return;
        }
        int operation = LibC.EPOLL_CTL_MOD;
        if (interest == 0) {
            operation = LibC.EPOLL_CTL_ADD;
        } else if (events == 0) {
            operation = LibC.EPOLL_CTL_DEL;
        }
        epoll.change(operation, this, events);
        interest = events;
    }

    /** Passes on what is still asked for: the interest may have changed after the event was fetched. */
    void dispatch(int ready) {
        int wanted = interest == 0 ? 0 : ready & (interest | ALWAYS_REPORTED);
        if (wanted != 0) {
            handler.ready(wanted);
        }
    }

    void remove() {
        if (!closed) {
            closed = true;
            epoll.remove(this, interest != 0);
        }
    }

    boolean isClosed() {
        return closed;
    }

    int fd() {
        return fd;
    }

    int index() {
        return index;
    }

    int generation() {
        return generation;
    }
}
