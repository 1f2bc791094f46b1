// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.loop;

import io.reactivenetio.ffm.IoUring;
import io.reactivenetio.ffm.LibC;
import io.reactivenetio.loop.fd.Errno;
import io.reactivenetio.loop.fd.EventFd;
import io.reactivenetio.loop.fd.LoopWait;
import io.reactivenetio.loop.task.Failures;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * {@link LoopIo} by completion, with io_uring(7): requests of a turn wait until its end, and go to the kernel with the same
 * system call that waits for what comes next. The descriptors that only epoll knows (libfabric's, {@link EventLoop#register})
 * are served too: the ring polls the descriptor of epoll. Where an embedder sleeps on that, it is the other way round.
 *
 * <p>A request's memory is the kernel's until its completion has been fetched. So {@link #cancel} waits for that completion.
 * Completions are taken out of the ring as soon as they are seen, and wait here for their turn: whatever callbacks do, the ring
 * has room. Confined to the loop thread; allocates nothing once its tables are long enough.
 */
final class RingIo implements LoopIo, LoopWait {
    private static final int SUBMISSIONS = 256;
    private static final int COMPLETIONS = 4096;
    /** Comes back with what cancels another request. */
    private static final long CANCELS = -1;
    private final IoUring ring;
    private final Epoll epoll;
    private final Failures failures;
    private final int most;
    private final Runnable onWork;
    private @Nullable RingRequest[] table = new @Nullable RingRequest[16];
    private int[] freed = new int[16];
    private int freedCount;
    private int used;
    private int generations;
    /** The requests to be told to the kernel, in order. */
    private @Nullable RingRequest[] waiting = new @Nullable RingRequest[16];
    private int firstWaiting;
    private int waitingCount;
    /** Fetched from the ring and not served. */
    private long[] data = new long[16];
    private int[] results = new int[16];
    private int firstFetched;
    private int fetchedCount;
    private boolean begun;
    private boolean embedded;
    private int eventFd = -1;
    private @Nullable Completion epollPolled;
    private int epollReady;
    private boolean closed;

    /**
     * Takes over {@code ring} and {@code epoll}. {@code onWork} is called when there is something to be told to the kernel, once
     * it has begun.
     */
    RingIo(IoUring ring, Epoll epoll, int mostPerTurn, Failures failures, Runnable onWork) {
        this.ring = ring;
        this.epoll = epoll;
        this.most = mostPerTurn;
        this.failures = failures;
        this.onWork = onWork;
    }

    static IoUring openRing() {
        return IoUring.open(SUBMISSIONS, COMPLETIONS);
    }

    @Override
    public Handle open(int fd, int readsPerTurn) {
        return new RingHandle(this, fd);
    }

    // ---- the table of requests

    RingRequest request(int fd) {
        int index = freedCount > 0 ? freed[--freedCount] : used++;
        if (index == table.length) {
            table = Arrays.copyOf(table, 2 * index);
        }
        RingRequest request = new RingRequest(this, fd, index, generations++);
        table[index] = request;
        return request;
    }

    void remove(RingRequest request) {
        if (closed) {
            return;
        }
        request.close();
        table[request.index()] = null;
        if (freedCount == freed.length) {
            freed = Arrays.copyOf(freed, 2 * freedCount);
        }
        freed[freedCount++] = request.index();
    }

    // ---- to the kernel

    void add(RingRequest request) {
        if (closed) {
            return;
        }
        if (waitingCount == waiting.length) {
            @Nullable RingRequest[] longer = new @Nullable RingRequest[2 * waitingCount];
            for (int i = 0; i < waitingCount; i++) {
                longer[i] = waiting[(firstWaiting + i) & (waitingCount - 1)];
            }
            waiting = longer;
            firstWaiting = 0;
        }
        waiting[(firstWaiting + waitingCount++) & (waiting.length - 1)] = request;
        if (begun && waitingCount == 1) {
            onWork.run();
        }
    }

    private void prepareWaiting() {
        while (waitingCount > 0 && ring.hasRoom()) {
            RingRequest request = waiting[firstWaiting];
            waiting[firstWaiting] = null;
            firstWaiting = (firstWaiting + 1) & (waiting.length - 1);
            waitingCount--;
            if (request != null && request.isWaiting()) { // and was not closed meanwhile
                request.prepare(ring);
            }
        }
    }

    @Override
    public void begin(boolean isEmbedded) {
        Errno.check("io_uring_register", ring.enable());
        begun = true;
        embedded = isEmbedded;
        if (embedded) {
            notifyEpoll();
        } else {
            RingRequest poll = request(epoll.fd());
            epollPolled = result -> {
                try {
                    epoll.dispatch(epoll.await(false));
                } finally {
                    pollEpoll(poll);
                }
            };
            pollEpoll(poll);
        }
    }

    private void notifyEpoll() {
        int fd = EventFd.open(false);
        eventFd = fd;
        Errno.check("io_uring_register", ring.notify(fd));
        MemorySegment count = Arena.ofAuto().allocate(Long.BYTES, Long.BYTES);
        epoll.add(fd, FdRegistration.READABLE, events -> LibC.read(fd, count, Long.BYTES));
    }

    private void pollEpoll(RingRequest poll) {
        poll.submit(IoRequest.Kind.POLL, MemorySegment.NULL, 0, 0, Objects.requireNonNull(epollPolled));
    }

    // ---- from the kernel

    @Override
    public int await(boolean maySleep) {
        boolean sleeps = maySleep && fetchedCount == 0;
        do {
            prepareWaiting();
            // What was fetched while the others were submitted would not wake anybody again.
            enter(sleeps && waitingCount == 0 && fetchedCount == 0 ? 1 : 0);
        } while (waitingCount > 0 || sleeps && fetchedCount == 0);
        epollReady = embedded ? epoll.await(false) : 0;
        return epollReady + fetchedCount;
    }

    private void enter(int completions) {
        if (completions > 0 || ring.hasWork()) {
            int result = ring.enter(completions);
            if (result < 0 && result != -LibC.EINTR && result != -LibC.EAGAIN && result != -IoUring.EBUSY) {
                Errno.check("io_uring_enter", result);
            }
        }
        fetch();
    }

    private void fetch() {
        while (ring.hasCompletions()) {
            if (fetchedCount == data.length) {
                lengthenFetched();
            }
            int at = (firstFetched + fetchedCount++) & (data.length - 1);
            data[at] = ring.next();
            results[at] = ring.result();
            ring.advance();
            RingRequest request = data[at] == CANCELS ? null : table[(int) data[at]];
            if (request != null && request.is(data[at])) {
                request.fetched();
            }
        }
    }

    private void lengthenFetched() {
        long[] longerData = new long[2 * fetchedCount];
        int[] longerResults = new int[2 * fetchedCount];
        for (int i = 0; i < fetchedCount; i++) {
            longerData[i] = data[(firstFetched + i) & (fetchedCount - 1)];
            longerResults[i] = results[(firstFetched + i) & (fetchedCount - 1)];
        }
        data = longerData;
        results = longerResults;
        firstFetched = 0;
    }

    @Override
    public void dispatch(int count) {
        if (embedded) {
            epoll.dispatch(epollReady);
            enter(0); // now that the eventfd is empty: what comes from here on fills it again
        }
        for (int i = Math.min(fetchedCount, most); i > 0; i--) {
            long done = data[firstFetched];
            int result = results[firstFetched];
            firstFetched = (firstFetched + 1) & (data.length - 1);
            fetchedCount--;
            serve(done, result);
        }
    }

    private void serve(long done, int result) {
        if (done == CANCELS) {
            return;
        }
        RingRequest request = table[(int) done];
        if (request != null && request.is(done)) {
            try {
                request.completed(result);
            } catch (Throwable t) {
                failures.report(t);
            }
        } else {
            drop(done, result);
        }
    }

    private static void drop(long done, int result) {
        if (done != CANCELS && (done & RingRequest.ACCEPTS) != 0 && result >= 0) {
            LibC.close(result); // a connection for a listener that was closed
        }
    }

    @Override
    public boolean hasMore() {
        return fetchedCount > 0 || embedded && epoll.hasMore();
    }

    @Override
    public boolean hasWork() {
        return waitingCount > 0 || fetchedCount > 0 || ring.hasCompletions() || ring.hasWork();
    }

    @Override
    public boolean flush() {
        do {
            prepareWaiting();
            enter(0);
        } while (waitingCount > 0);
        return fetchedCount > 0;
    }

    /** Returns when the kernel has let go of the request's memory. Its completion will reach nobody. */
    void cancel(RingRequest request) {
        fetch();
        boolean asked = false;
        while (request.isAsked()) {
            if (!asked && ring.hasRoom()) {
                ring.prepare(IoUring.ASYNC_CANCEL, -1, 0, request.data(), 0, 0, CANCELS);
                asked = true;
            }
            int result = ring.enter(asked ? 1 : 0);
            if (result < 0 && result != -LibC.EINTR && result != -LibC.EAGAIN && result != -IoUring.EBUSY) {
                return; // the thread that has asked is gone, and its requests with it
            }
            fetch();
        }
    }

    /** Handles that are still open have their memory back as well. */
    @Override
    public void close() {
        if (!closed) {
            for (int i = 0; i < used; i++) {
                RingRequest request = table[i];
                if (request != null) {
                    request.close();
                }
            }
            closed = true;
            fetch();
            for (; fetchedCount > 0; fetchedCount--) {
                drop(data[firstFetched], results[firstFetched]);
                firstFetched = (firstFetched + 1) & (data.length - 1);
            }
            ring.close();
            if (eventFd >= 0) {
                LibC.close(eventFd);
            }
            epoll.close();
        }
    }
}
