// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.loop;

import io.reactivenetio.ffm.EpollEvents;
import io.reactivenetio.ffm.IoUring;
import io.reactivenetio.ffm.LibC;
import io.reactivenetio.ffm.MessageHeader;
import io.reactivenetio.ffm.Sockets;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * One direction of a descriptor, and its request on the way to the ring, in the kernel, and back. Its number in the table of the
 * ring and its generation come back with each completion, so that one of a handle that was closed meanwhile reaches nobody.
 */
final class RingRequest {
    /** Marks completions whose result is a new descriptor, which somebody has to close if nobody wants it any more. */
    static final long ACCEPTS = 1L << 63;
    private static final int GENERATIONS = 0x3fffffff;
    /** The kernel moves at most so many bytes at a time. */
    private static final long MOST_BYTES = 0x7ffff000;

    /** WAITING: to be told to the kernel. ASKED: the kernel has it, and its memory. FETCHED: its completion is to be served. */
    private enum State { IDLE, WAITING, ASKED, FETCHED }

    private final RingIo io;
    private final int fd;
    private final int index;
    private final int generation;
    private final IoRequest request = new IoRequest();
    private @Nullable MessageHeader header;
    private State state = State.IDLE;
    /** Whether the descriptor is polled first, because the operation itself did not wait. */
    private boolean polls;

    RingRequest(RingIo io, int fd, int index, int generation) {
        this.io = io;
        this.fd = fd;
        this.index = index;
        this.generation = generation & GENERATIONS;
    }

    int index() {
        return index;
    }

    /** What comes back with its completions. */
    long data() {
        return data(index, generation) | (request.kind() == IoRequest.Kind.ACCEPT && !polls ? ACCEPTS : 0);
    }

    private static long data(int index, int generation) {
        return (long) generation << 32 | index;
    }

    boolean is(long data) {
        return (data & ~ACCEPTS) == data(index, generation);
    }

    void submit(IoRequest.Kind kind, MemorySegment memory, int count, long bytes, LoopIo.Completion completion) {
        if (!memory.scope().isAlive()) {
            throw new IllegalStateException("The memory of a request has been freed");
        }
        request.submit(kind, memory, count, bytes, completion);
        ask();
    }

    private void ask() {
        state = State.WAITING;
        io.add(this);
    }

    /** Tries at once, and has the ring wait, as submit does, only if that would block. */
    void submitOrPerform(IoRequest.Kind kind, MemorySegment memory, int count, long bytes, LoopIo.Completion completion) {
        request.submit(kind, memory, count, bytes, completion);
        long result = request.perform(fd);
        if (result == -LibC.EAGAIN) {
            ask();
        } else {
            request.complete(result);
        }
    }

    boolean isWaiting() {
        return state == State.WAITING;
    }

    boolean isAsked() {
        return state == State.ASKED;
    }

    /** The kernel has let go of its memory. */
    void fetched() {
        state = State.FETCHED;
    }

    /** Puts it into the ring. */
    void prepare(IoUring ring) {
        state = State.ASKED;
        IoRequest.Kind kind = request.kind();
        MemorySegment memory = request.memory();
        if (polls) {
            ring.prepare(IoUring.POLL_ADD, fd, 0, 0, 0, kind.writes() ? EpollEvents.EPOLLOUT : EpollEvents.EPOLLIN, data());
            return;
        }
        switch (kind) {
            case READ -> ring.prepare(IoUring.READ, fd, -1, memory.address(), length(), 0, data());
            case READ_VECTOR -> ring.prepare(IoUring.READV, fd, -1, memory.address(), request.count(), 0, data());
            case ACCEPT -> ring.prepare(IoUring.ACCEPT, fd, 0, 0, 0, Sockets.SOCK_NONBLOCK | Sockets.SOCK_CLOEXEC, data());
            case WRITE -> ring.prepare(IoUring.WRITE, fd, -1, memory.address(), length(), 0, data());
            case WRITE_VECTOR -> ring.prepare(IoUring.SENDMSG, fd, 0, header(memory), 1, Sockets.MSG_NOSIGNAL, data());
            case CONNECT -> ring.prepare(IoUring.CONNECT, fd, memory.byteSize(), memory.address(), 0, 0, data());
            case POLL -> ring.prepare(IoUring.POLL_ADD, fd, 0, 0, 0, EpollEvents.EPOLLIN, data());
            default -> throw new IllegalStateException("the kernel waits for that itself");
        }
    }

    private int length() {
        return (int) Math.min(request.bytes(), MOST_BYTES);
    }

    private long header(MemorySegment vector) {
        MessageHeader own = header;
        if (own == null) {
            own = new MessageHeader();
            header = own;
        }
        own.set(vector, request.count());
        return own.segment().address();
    }

    /** The kernel is done with it, or with waiting for it. */
    void completed(int result) {
        state = State.IDLE;
        if (!request.isOutstanding()) {
            return;
        }
        boolean polled = polls;
        polls = false;
        if (result == -LibC.EAGAIN || result == -LibC.EINTR || polled && result >= 0) {
            polls = result == -LibC.EAGAIN;
            ask();
        } else {
            request.complete(result);
        }
    }

    void close() {
        request.forget();
        if (state == State.ASKED) {
            io.cancel(this);
        }
        state = State.IDLE;
    }
}
