// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.loop.thread;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Counts the users of something that is going to be closed. Users enter and exit from any thread; once the gate is closed
 * nobody enters any more, and the last one out learns that it was the last.
 */
public final class Gate {
    private static final int CLOSED = 1;
    private static final int USER = 2;

    /** Bit 0: closed. The rest: the number of users inside. */
    private final AtomicInteger state = new AtomicInteger();

    /** Returns false, without having entered, after {@link #close}. */
    public boolean enter() {
        int seen = state.get();
        while ((seen & CLOSED) == 0) {
            int witness = state.compareAndExchange(seen, seen + USER);
            if (witness == seen) {
                return true;
            }
            seen = witness;
        }
        return false;
    }

    /** Returns true for the one user who leaves a closed gate empty. */
    public boolean exit() {
        return state.addAndGet(-USER) == CLOSED;
    }

    /** Returns true for the one caller who closed it. Users inside are not waited for. */
    public boolean close() {
        return (state.getAndUpdate(Gate::withClosed) & CLOSED) == 0;
    }

    public boolean isClosed() {
        return (state.get() & CLOSED) != 0;
    }

    public boolean isClosedAndEmpty() {
        return state.get() == CLOSED;
    }

    private static int withClosed(int state) {
        return state | CLOSED;
    }
}
