// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.loop;

import io.reactivenetio.loop.task.LoopCounters;

/**
 * Counters of one {@link EventLoop} since it was created. They are live: each call gives the present value. They may be read
 * from any thread at any time, also after the loop has terminated; values read together need not be of the same instant.
 */
public final class LoopStatistics {
    private final String name;
    private final LoopCounters counters;

    LoopStatistics(String name, LoopCounters counters) {
        this.name = name;
        this.counters = counters;
    }

    /** The name of the loop, {@link EventLoopConfig#name}. */
    public String name() {
        return name;
    }

    /** Turns begun. */
    public long turns() {
        return counters.turns();
    }

    /** Tasks taken from the inbox and run, those that threw and the library's own included. */
    public long tasksRun() {
        return counters.tasks();
    }

    /** Writes to the wake-up descriptor: how often another thread found the loop asleep. */
    public long wakeUpsWritten() {
        return counters.wakeUps();
    }

    /** Turns that took longer than {@link EventLoopConfig#slowTurnNanos()}, time asleep not included. */
    public long slowTurns() {
        return counters.slowTurns();
    }

    /** Exceptions and errors thrown by callbacks. */
    public long userExceptions() {
        return counters.userExceptions();
    }

    /** Nanoseconds that the loop has spent looking for work that did not come, instead of asleep. */
    public long spunNanos() {
        return counters.spunNanos();
    }

    /**
     * Nanoseconds that the loop has spent in turns, without the time asleep and without {@link #spunNanos}. What the present turn
     * takes is added at its end.
     */
    public long busyNanos() {
        return counters.busyNanos();
    }

    /** Tasks of other threads that wait in the inbox now, or a little more or less while they come and go. */
    public int inboxLength() {
        return counters.inboxLength();
    }

    @Override
    public String toString() {
        return "turns=" + turns() + " tasksRun=" + tasksRun() + " wakeUpsWritten=" + wakeUpsWritten()
                + " slowTurns=" + slowTurns() + " userExceptions=" + userExceptions()
                + " spunNanos=" + spunNanos() + " busyNanos=" + busyNanos() + " inboxLength=" + inboxLength();
    }
}
