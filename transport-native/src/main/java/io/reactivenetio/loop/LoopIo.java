// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.loop;

import java.lang.foreign.MemorySegment;

/**
 * Internal. How the loop reads and writes: a request now, its completion later, so that a mechanism of readiness (epoll) and
 * one of completions (io_uring) can both serve it. Confined to the loop thread. What a completion throws goes to
 * {@link EventLoop#onError}.
 */
public interface LoopIo {
    /**
     * Prepares {@code fd}, which must be non-blocking and stays the caller's. Costs no system call.
     *
     * @param readsPerTurn how many reads may complete within one turn when the owner re-submits from the completion
     */
    Handle open(int fd, int readsPerTurn);

    /**
     * One file descriptor. At most one request that reads (read, accept) and one that writes (write, connect) are outstanding;
     * the memory they name must stay as it is until completion. A request that cannot be served yet stays outstanding.
     */
    interface Handle {
        /** Reads once into all of {@code buffer}, never within this call. Re-submitting in the completion is no system call. */
        void read(MemorySegment buffer, Completion completion);

        /** Reads once into the {@code count} entries of {@code vector}, an array of struct iovec with {@code bytes} bytes. */
        void read(MemorySegment vector, int count, long bytes, Completion completion);

        /** Accepts one connection, never within this call; the result is its descriptor, non-blocking and close-on-exec. */
        void accept(Completion completion);

        /** Writes once from all of {@code buffer}. May complete within this call; fewer bytes than asked for are a success. */
        void write(MemorySegment buffer, Completion completion);

        /** Writes once from the {@code count} entries of {@code vector}, with {@code bytes} bytes in all. Sockets only. */
        void write(MemorySegment vector, int count, long bytes, Completion completion);

        /** Connects a socket to {@code address}, a socket address struct. May complete, with 0, within this call. */
        void connect(MemorySegment address, Completion completion);

        /** Forgets what is outstanding: it never completes. To be called before the descriptor is closed. Idempotent. */
        void close();
    }

    /** Told the outcome of a request, on the loop thread. */
    interface Completion {
        /** {@code result} is the number of bytes or what else was asked for, or the negated errno. */
        void completed(long result);
    }
}
