// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.loop;

import java.lang.foreign.MemorySegment;

/**
 * Has the ring perform the requests of one descriptor, one of each direction at a time. A write is tried at once: the kernel
 * mostly has room for it, and then one system call is all it takes. By the ring it would be as many, because its completion has
 * to be fetched before the loop may sleep.
 */
final class RingHandle implements LoopIo.Handle {
    private final RingIo io;
    private final RingRequest reading;
    private final RingRequest writing;
    private boolean closed;

    RingHandle(RingIo io, int fd) {
        this.io = io;
        this.reading = io.request(fd);
        this.writing = io.request(fd);
    }

    @Override
    public void read(MemorySegment buffer, LoopIo.Completion completion) {
        open(reading).submit(IoRequest.Kind.READ, buffer, 0, buffer.byteSize(), completion);
    }

    @Override
    public void read(MemorySegment vector, int count, long bytes, LoopIo.Completion completion) {
        open(reading).submit(IoRequest.Kind.READ_VECTOR, vector, count, bytes, completion);
    }

    @Override
    public void accept(LoopIo.Completion completion) {
        open(reading).submit(IoRequest.Kind.ACCEPT, MemorySegment.NULL, 0, 0, completion);
    }

    @Override
    public void write(MemorySegment buffer, LoopIo.Completion completion) {
        open(writing).submitOrPerform(IoRequest.Kind.WRITE, buffer, 0, buffer.byteSize(), completion);
    }

    @Override
    public void write(MemorySegment vector, int count, long bytes, LoopIo.Completion completion) {
        open(writing).submitOrPerform(IoRequest.Kind.WRITE_VECTOR, vector, count, bytes, completion);
    }

    @Override
    public void connect(MemorySegment address, LoopIo.Completion completion) {
        open(writing).submit(IoRequest.Kind.CONNECT, address, 0, 0, completion);
    }

    private RingRequest open(RingRequest request) {
        if (closed) {
            throw new IllegalStateException("The handle is closed");
        }
        return request;
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            io.remove(reading);
            io.remove(writing);
        }
    }
}
