// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.loop;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntSupplier;

/**
 * Counters of one {@link EventLoop} since it was created. They are live: each call gives the present value. They may be read
 * from any thread at any time, also after the loop has terminated; values read together need not be of the same instant.
 */
public final class LoopStatistics {
    // All but the wake-ups have a single writer, the loop: a plain read and an opaque write, without a locked instruction.
    private final AtomicLong turns = new AtomicLong();
    private final AtomicLong tasks = new AtomicLong();
    private final AtomicLong wakeUps = new AtomicLong();
    private final AtomicLong slowTurns = new AtomicLong();
    private final AtomicLong userExceptions = new AtomicLong();
    private final AtomicLong spunNanos = new AtomicLong();
    private final AtomicLong busyNanos = new AtomicLong();
    private final String name;
    private IntSupplier inbox = () -> 0;

    LoopStatistics(String name) {
        this.name = name;
    }

    /** Sets who knows how many tasks wait. Called before any other thread can have this object. */
    void inbox(IntSupplier waiting) {
        inbox = waiting;
    }

    /** The name of the loop, {@link EventLoopConfig#name}. */
    public String name() {
        return name;
    }

    /** Turns begun. */
    public long turns() {
        return turns.getOpaque();
    }

    /** Tasks taken from the inbox and run, those that threw and the library's own included. */
    public long tasksRun() {
        return tasks.getOpaque();
    }

    /** Writes to the wake-up descriptor: how often another thread found the loop asleep. */
    public long wakeUpsWritten() {
        return wakeUps.getOpaque();
    }

    /** Turns that took longer than {@link EventLoopConfig#slowTurnNanos()}, time asleep not included. */
    public long slowTurns() {
        return slowTurns.getOpaque();
    }

    /** Exceptions and errors thrown by callbacks. */
    public long userExceptions() {
        return userExceptions.getOpaque();
    }

    /** Nanoseconds that the loop has spent looking for work that did not come, instead of asleep. */
    public long spunNanos() {
        return spunNanos.getOpaque();
    }

    /**
     * Nanoseconds that the loop has spent in turns, without the time asleep and without {@link #spunNanos}. What the present turn
     * takes is added at its end.
     */
    public long busyNanos() {
        return busyNanos.getOpaque();
    }

    /** Tasks of other threads that wait in the inbox now, or a little more or less while they come and go. */
    public int inboxLength() {
        return inbox.getAsInt();
    }

    void countTurn() {
        increment(turns);
    }

    void countTask() {
        increment(tasks);
    }

    void countSlowTurn() {
        increment(slowTurns);
    }

    void countUserException() {
        increment(userExceptions);
    }

    void countSpin(long nanos) {
        spunNanos.setOpaque(spunNanos.getPlain() + nanos);
    }

    void countBusy(long nanos) {
        busyNanos.setOpaque(busyNanos.getPlain() + nanos);
    }

    /** Any thread. */
    void countWakeUp() {
        wakeUps.getAndIncrement();
    }

    private static void increment(AtomicLong counter) {
        counter.setOpaque(counter.getPlain() + 1);
    }

    @Override
    public String toString() {
        return "turns=" + turns() + " tasksRun=" + tasksRun() + " wakeUpsWritten=" + wakeUpsWritten()
                + " slowTurns=" + slowTurns() + " userExceptions=" + userExceptions()
                + " spunNanos=" + spunNanos() + " busyNanos=" + busyNanos() + " inboxLength=" + inboxLength();
    }
}
