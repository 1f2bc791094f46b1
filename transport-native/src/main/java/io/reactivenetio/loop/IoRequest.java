// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.loop;

import io.reactivenetio.ffm.LibC;
import io.reactivenetio.ffm.Sockets;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** The one outstanding request of a direction, as it can be made again and again until it does not block. */
final class IoRequest {
    enum Kind {
        READ, READ_VECTOR, ACCEPT, WRITE, WRITE_VECTOR, CONNECT, CONNECTING, POLL;

        boolean writes() {
            return this == WRITE || this == WRITE_VECTOR || this == CONNECT;
        }
    }

    private Kind kind = Kind.READ;
    private MemorySegment memory = MemorySegment.NULL;
    private int count;
    private long bytes;
    private LoopIo.@Nullable Completion completion;

    void submit(Kind what, MemorySegment from, int entries, long length, LoopIo.Completion whenDone) {
        if (completion != null) {
            throw new IllegalStateException("A request is outstanding: " + kind);
        }
        kind = what;
        memory = from;
        count = entries;
        bytes = length;
        completion = whenDone;
    }

    Kind kind() {
        return kind;
    }

    MemorySegment memory() {
        return memory;
    }

    /** Returns how many entries of a vector are used. */
    int count() {
        return count;
    }

    boolean isOutstanding() {
        return completion != null;
    }

    long bytes() {
        return bytes;
    }

    /** Makes the system call; -EAGAIN when it would block. */
    long perform(int fd) {
        long result;
        do {
            result = switch (kind) {
                case READ -> LibC.read(fd, memory, bytes);
                case READ_VECTOR -> Sockets.readv(fd, memory, count);
                case ACCEPT -> Sockets.accept(fd);
                case WRITE -> LibC.write(fd, memory, bytes);
                case WRITE_VECTOR -> Sockets.send(fd, memory, count);
                case CONNECT -> connect(fd);
                case POLL -> 0;
                case CONNECTING -> -Math.abs(Sockets.option(fd, Sockets.SOL_SOCKET, Sockets.SO_ERROR));
            };
        } while (result == -LibC.EINTR);
        return result;
    }

    private long connect(int fd) {
        int result = Sockets.connect(fd, memory);
        if (result == -Sockets.EINPROGRESS || result == -LibC.EINTR) {
            kind = Kind.CONNECTING;
            return -LibC.EAGAIN;
        }
        return result;
    }

    void complete(long result) {
        LoopIo.Completion done = completion;
        completion = null;
        if (done != null) {
            done.completed(result);
        }
    }

    void forget() {
        completion = null;
    }
}
