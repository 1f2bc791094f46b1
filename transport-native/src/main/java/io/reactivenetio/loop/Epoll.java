// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.loop;

import io.reactivenetio.ffm.EpollEvents;
import io.reactivenetio.ffm.LibC;
import io.reactivenetio.loop.fd.Errno;
import io.reactivenetio.loop.fd.LoopWait;
import io.reactivenetio.loop.task.Failures;
import io.reactivenetio.loop.thread.Ownership;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The epoll instance and the table of what is registered with it. Each event carries the index of a table entry and the
 * generation of its registration, so that an event already fetched for one that was closed meanwhile reaches nobody.
 * Confined to the loop thread. Level-triggered: the kernel puts a served descriptor at the end of its ready list, therefore
 * even with few events per turn each has its turn (epoll_wait(2), "round robin").
 */
final class Epoll implements LoopWait {
    private final int fd;
    private final Ownership ownership;
    private final Failures failures;
    private final EpollEvents fetched;
    private final EpollEvents change;
    private @Nullable FdRegistration[] table = new @Nullable FdRegistration[16];
    private int[] freed = new int[16];
    private int freedCount;
    private int used;
    private int generations;
    private boolean full;
    private boolean closed;

    /** Takes over {@code fd}. */
    Epoll(int fd, int maxEventsPerTurn, Ownership ownership, Failures failures) {
        this.fd = fd;
        this.ownership = ownership;
        this.failures = failures;
        // Freed when unreachable: the loop thread need not be the one that creates the loop, or that closes it.
        Arena arena = Arena.ofAuto();
        this.fetched = new EpollEvents(arena, maxEventsPerTurn);
        this.change = new EpollEvents(arena, 1);
    }

    int fd() {
        return fd;
    }

    Ownership ownership() {
        return ownership;
    }

    /** Enters {@code target} in the table, and in epoll unless {@code interest} is 0. */
    FdRegistration add(int target, int interest, FdHandler handler) {
        int index = freedCount > 0 ? freed[freedCount - 1] : used;
        FdRegistration registration = new FdRegistration(this, target, index, generations++, handler);
        registration.setInterest(interest);
        if (freedCount > 0) {
            freedCount--;
        } else {
            used++;
        }
        if (index == table.length) {
            table = Arrays.copyOf(table, 2 * index);
        }
        table[index] = registration;
        return registration;
    }

    void change(int operation, FdRegistration registration, int interest) {
        long data = ((long) registration.generation() << 32) | registration.index();
        change.set(0, interest, data);
        Errno.check("epoll_ctl", LibC.epollCtl(fd, operation, registration.fd(), change.segment()));
    }

    /** The entry is free for another. A descriptor that was closed too early has left epoll already: no error. */
    void remove(FdRegistration registration, boolean inEpoll) {
        if (inEpoll) {
            LibC.epollCtl(fd, LibC.EPOLL_CTL_DEL, registration.fd(), MemorySegment.NULL);
        }
        int index = registration.index();
        table[index] = null;
        if (freedCount == freed.length) {
            freed = Arrays.copyOf(freed, 2 * freedCount);
        }
        freed[freedCount++] = index;
    }

    @Override
    public int await(boolean maySleep) {
        int count;
        do {
            count = LibC.epollWait(fd, fetched.segment(), fetched.capacity(), maySleep ? -1 : 0);
        } while (count == -LibC.EINTR);
        full = count == fetched.capacity();
        return Errno.check("epoll_wait", count);
    }

    @Override
    public boolean hasMore() {
        return full;
    }

    @Override
    public void dispatch(int count) {
        for (int i = 0; i < count; i++) {
            long data = fetched.data(i);
            FdRegistration registration = table[(int) data];
            if (registration == null || registration.generation() != (int) (data >>> 32)) {
                continue;
            }
            try {
                registration.dispatch(fetched.events(i));
            } catch (Throwable t) {
                failures.report(t);
            }
        }
    }

    /** Once: another thread may have got the number of the descriptor by the second time. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        for (int i = 0; i < used; i++) {
            FdRegistration registration = table[i];
            if (registration != null) {
                registration.remove();
            }
        }
        LibC.close(fd);
    }
}
