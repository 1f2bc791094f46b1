// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.loop;

import java.util.Objects;
import java.util.function.LongSupplier;

/**
 * Internal: an event loop without a thread, for simulations and tests. Whoever drives it says what time it is and when the loop
 * takes a turn, and so decides every interleaving. Code that a turn calls is on the loop; code outside of a turn, or within
 * {@link #asStranger}, is on another thread as far as the loop can tell. Nothing sleeps, and {@link EventLoop#close()} returns
 * at once: the next turn closes the loop. One real thread has to make all the calls.
 */
public final class SimulatedLoop {
    private final SimulatedOwnership ownership = new SimulatedOwnership();
    private final EventLoop loop;

    /**
     * A loop that reads the time, in nanoseconds, from {@code clock}.
     *
     * @throws java.io.UncheckedIOException if no file descriptors are left
     */
    public SimulatedLoop(EventLoopConfig config, LongSupplier clock) {
        loop = EventLoop.simulated(config, new LoopClock(Objects.requireNonNull(clock, "clock"), true), ownership);
    }

    public EventLoop loop() {
        return loop;
    }

    /** Takes one turn: the delayed tasks that are due, the inbox, the pollers, the end of the turn. Nothing when it has ended. */
    public void turn() {
        boolean before = ownership.enter(true);
        try {
            loop.simulatedTurn();
        } finally {
            ownership.enter(before);
        }
    }

    /** Runs {@code action} as if another thread did so while the loop is between two steps of a turn. */
    public void asStranger(Runnable action) {
        boolean before = ownership.enter(false);
        try {
            action.run();
        } finally {
            ownership.enter(before);
        }
    }

    /** Whether a turn would do something now, pollers aside. */
    public boolean hasWork() {
        return loop.hasWork();
    }

    /** When the next delayed task is due, on the clock of this loop; {@code Long.MAX_VALUE} if there is none. */
    public long nextDeadline() {
        return loop.isTerminated() ? Long.MAX_VALUE : loop.delays().nextDeadline();
    }

    /** How many delayed tasks wait. */
    public int delayedTasks() {
        return loop.delays().size();
    }
}
