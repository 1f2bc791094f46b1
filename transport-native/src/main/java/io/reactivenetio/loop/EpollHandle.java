// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.loop;

import io.reactivenetio.ffm.LibC;
import java.lang.foreign.MemorySegment;

/**
 * Serves the requests of one descriptor. Writes are tried at once, and wait for EPOLLOUT only after one has found the kernel's
 * buffer full. The kernel is told as little as possible: the interest in reading survives a pause in which nothing arrives, and
 * ends with the first event nobody asked for, since a ready descriptor that nobody reads would spin.
 */
final class EpollHandle implements LoopIo.Handle, FdHandler {
    private final FdRegistration registration;
    private final int fd;
    private final int readsPerTurn;
    private final IoRequest reading = new IoRequest();
    private final IoRequest writing = new IoRequest();
    private boolean watchesReads;
    private boolean full;
    private boolean serving;

    EpollHandle(Epoll epoll, int fd, int readsPerTurn) {
        this.fd = fd;
        this.readsPerTurn = readsPerTurn;
        this.registration = epoll.add(fd, 0, this);
    }

    @Override
    public void read(MemorySegment buffer, LoopIo.Completion completion) {
        submitRead(IoRequest.Kind.READ, buffer, 0, buffer.byteSize(), completion);
    }

    @Override
    public void read(MemorySegment vector, int count, long bytes, LoopIo.Completion completion) {
        submitRead(IoRequest.Kind.READ_VECTOR, vector, count, bytes, completion);
    }

    @Override
    public void accept(LoopIo.Completion completion) {
        submitRead(IoRequest.Kind.ACCEPT, MemorySegment.NULL, 0, 0, completion);
    }

    private void submitRead(IoRequest.Kind kind, MemorySegment memory, int count, long bytes, LoopIo.Completion completion) {
        reading.submit(kind, memory, count, bytes, completion);
        watchesReads = true;
        tellKernel();
    }

    @Override
    public void write(MemorySegment buffer, LoopIo.Completion completion) {
        writing.submit(IoRequest.Kind.WRITE, buffer, 0, buffer.byteSize(), completion);
        tryWrite();
    }

    @Override
    public void write(MemorySegment vector, int count, long bytes, LoopIo.Completion completion) {
        writing.submit(IoRequest.Kind.WRITE_VECTOR, vector, count, bytes, completion);
        tryWrite();
    }

    @Override
    public void connect(MemorySegment address, LoopIo.Completion completion) {
        writing.submit(IoRequest.Kind.CONNECT, address, 0, 0, completion);
        tryWrite();
    }

    @Override
    public void ready(int events) {
        boolean broken = (events & ~(FdRegistration.READABLE | FdRegistration.WRITABLE)) != 0;
        serving = true;
        try {
            if (broken || (events & FdRegistration.READABLE) != 0) {
                watchesReads = reading.isOutstanding();
                for (int i = 0; i < readsPerTurn && readOnce(); i++) {
                }
            }
            if (broken || (events & FdRegistration.WRITABLE) != 0) {
                full = false;
                tryWrite();
            }
        } finally {
            serving = false;
            tellKernel();
        }
    }

    /** Returns whether another read may bring more. Nothing to read is no completion: a timer may have been stopped meanwhile. */
    private boolean readOnce() {
        if (!reading.isOutstanding()) {
            return false;
        }
        long asked = reading.bytes();
        long result = reading.perform(fd);
        if (result == -LibC.EAGAIN) {
            return false;
        }
        reading.complete(result);
        return result >= asked; // less than asked for: it is empty now
    }

    private void tryWrite() {
        if (!full && writing.isOutstanding()) {
            long asked = writing.bytes();
            long result = writing.perform(fd);
            full = result == -LibC.EAGAIN || result >= 0 && result < asked;
            if (result != -LibC.EAGAIN) {
                writing.complete(result);
            }
        }
        tellKernel();
    }

    private void tellKernel() {
        if (!serving && !registration.isClosed()) {
            registration.setInterest((watchesReads ? FdRegistration.READABLE : 0)
                    | (full && writing.isOutstanding() ? FdRegistration.WRITABLE : 0));
        }
    }

    @Override
    public void close() {
        reading.forget();
        writing.forget();
        registration.remove();
    }
}
