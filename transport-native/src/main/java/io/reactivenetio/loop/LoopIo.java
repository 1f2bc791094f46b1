// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.loop;

import java.lang.foreign.MemorySegment;

/**
 * How the loop reads: a request now, its completion later, so that a mechanism of readiness (epoll) and one of completions
 * (io_uring) can both serve it. Confined to the loop thread.
 */
interface LoopIo {
    /**
     * Prepares {@code fd}, which must be non-blocking and stays the caller's, for reading.
     *
     * @param readsPerTurn how many reads may complete within one turn when the owner re-submits from the completion
     */
    Handle open(int fd, int readsPerTurn);

    /** One file descriptor. At most one read is outstanding. */
    interface Handle {
        /**
         * Reads once into all of {@code buffer}, which must stay untouched until completion. While there is nothing to read the
         * request stays outstanding. Re-submitting from within the completion costs no system call.
         */
        void read(MemorySegment buffer, Completion completion);

        /** Forgets an outstanding read: it never completes. To be called before the descriptor is closed. Idempotent. */
        void close();
    }

    /** Told the outcome of a read, on the loop thread. */
    interface Completion {
        /** {@code result} is the number of bytes, or the negated errno. */
        void completed(long result);
    }
}
