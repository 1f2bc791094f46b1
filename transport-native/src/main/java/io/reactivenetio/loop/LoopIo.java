// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.loop;

import java.lang.foreign.MemorySegment;

/**
 * How the plain TCP backend reads and writes: it says what it wants read or written, and is told when that is done. Who performs
 * it, and how, is up to the implementation: a mechanism of readiness (epoll) can serve it as well as one of completions
 * (io_uring). A loop brings one ({@link EventLoop#io}). A program that has a loop of its own can give another, with {@link
 * EventLoop#create(EventLoopConfig, java.util.function.UnaryOperator)}.
 *
 * <p><b>Threads.</b> Everything here happens on the thread of the loop: calls, and completions. An implementation need not be
 * thread-safe. It completes requests within turns of the loop, or between two of them.
 *
 * <p><b>Requests.</b> A descriptor has at most one request that reads (read, accept) and one that writes (write, connect) at a
 * time. A request completes exactly once, when it has been performed or has failed. One that cannot be served yet stays
 * outstanding, for as long as it takes. A new request may be made from within the completion of the one before. Descriptors that
 * count or tick, eventfd(2) and timerfd_create(2), are waited for by reading their eight bytes.
 *
 * <p><b>Memory</b> that a request names belongs to the implementation, and must neither change nor be freed, from the call until
 * the completion begins, or until {@link Handle#close} returns. Vectors, and what they point to, are such memory too.
 *
 * <p><b>Errors</b> are results: a negated errno such as -104 for ECONNRESET, and never -EAGAIN or -EINTR. What a completion
 * throws is its caller's mistake: it is reported to {@link EventLoop#onError}, and the implementation goes on.
 */
public interface LoopIo {
    /**
     * Prepares a descriptor for requests. It stays the caller's, who closes it after the handle.
     *
     * @param fd a socket, eventfd or timerfd, opened non-blocking
     * @param readsPerTurn how many reads of it may complete within one turn while its owner makes a new one in each completion;
     *        what is beyond waits for the next turn, so that all descriptors are served
     * @throws java.io.UncheckedIOException if the descriptor cannot be watched
     */
    Handle open(int fd, int readsPerTurn);

    /** One descriptor. */
    interface Handle {
        /**
         * Reads once into {@code buffer}, as many bytes as are there. The result is their number, and 0 at the end of the stream.
         * Never completes within this call.
         *
         * @throws IllegalStateException if a request that reads is outstanding; so for every other method that reads
         */
        void read(MemorySegment buffer, Completion completion);

        /**
         * Reads once into several places, in their order. Otherwise as the other read.
         *
         * @param vector an array of struct iovec
         * @param count how many of its entries to use
         * @param bytes how many bytes these name together
         */
        void read(MemorySegment vector, int count, long bytes, Completion completion);

        /**
         * Accepts one connection of a listening socket. The result is its descriptor, non-blocking and close-on-exec. It is the
         * caller's. Never completes within this call.
         */
        void accept(Completion completion);

        /**
         * Writes once from {@code buffer}. The result is the number of bytes written, which may be fewer. May complete within
         * this call.
         *
         * @throws IllegalStateException if a request that writes is outstanding; so for every other method that writes
         */
        void write(MemorySegment buffer, Completion completion);

        /**
         * Writes to a socket once, from several places. Raises no SIGPIPE. Otherwise as the other write.
         *
         * @param vector an array of struct iovec
         * @param count how many of its entries to use
         * @param bytes how many bytes these name together
         */
        void write(MemorySegment vector, int count, long bytes, Completion completion);

        /**
         * Connects a socket to {@code address}, a socket address struct such as sockaddr_in. The result is 0. May complete within
         * this call.
         */
        void connect(MemorySegment address, Completion completion);

        /**
         * Cancels what is outstanding: it never completes, and its memory is the caller's again when this returns. To be called
         * before the descriptor is closed, also from within a completion. Does nothing the second time, and nothing can be asked
         * for afterwards.
         */
        void close();
    }

    /** Told the outcome of a request, on the thread of the loop. */
    @FunctionalInterface
    interface Completion {
        /**
         * Called once for each request.
         *
         * @param result the number of bytes or what else was asked for, or the negated errno
         */
        void completed(long result);
    }
}
