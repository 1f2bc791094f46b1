// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.loop.task;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntSupplier;

/** What one loop counts. All but the wake-ups have a single writer, the loop; read from any thread, each value for itself. */
public final class LoopCounters {
    // A single writer needs no locked instruction: a plain read and an opaque write.
    private final AtomicLong turns = new AtomicLong();
    private final AtomicLong tasks = new AtomicLong();
    private final AtomicLong wakeUps = new AtomicLong();
    private final AtomicLong slowTurns = new AtomicLong();
    private final AtomicLong userExceptions = new AtomicLong();
    private final AtomicLong spunNanos = new AtomicLong();
    private final AtomicLong busyNanos = new AtomicLong();
    private IntSupplier inbox = () -> 0;

    /** Sets who knows how many tasks wait. Called before any other thread can have this object. */
    void inbox(IntSupplier waiting) {
        inbox = waiting;
    }

    public long turns() {
        return turns.getOpaque();
    }

    public long tasks() {
        return tasks.getOpaque();
    }

    public long wakeUps() {
        return wakeUps.getOpaque();
    }

    public long slowTurns() {
        return slowTurns.getOpaque();
    }

    public long userExceptions() {
        return userExceptions.getOpaque();
    }

    public long spunNanos() {
        return spunNanos.getOpaque();
    }

    public long busyNanos() {
        return busyNanos.getOpaque();
    }

    public int inboxLength() {
        return inbox.getAsInt();
    }

    public void countTurn() {
        increment(turns);
    }

    void countTask() {
        increment(tasks);
    }

    public void countSlowTurn() {
        increment(slowTurns);
    }

    void countUserException() {
        increment(userExceptions);
    }

    public void countSpin(long nanos) {
        spunNanos.setOpaque(spunNanos.getPlain() + nanos);
    }

    public void countBusy(long nanos) {
        busyNanos.setOpaque(busyNanos.getPlain() + nanos);
    }

    /** Any thread. */
    void countWakeUp() {
        wakeUps.getAndIncrement();
    }

    private static void increment(AtomicLong counter) {
        counter.setOpaque(counter.getPlain() + 1);
    }
}
