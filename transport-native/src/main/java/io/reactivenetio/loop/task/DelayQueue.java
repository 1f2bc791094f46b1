// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.loop.task;

import io.reactivenetio.loop.fd.TimerSpec;
import io.reactivenetio.loop.thread.Ownership;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;

/** All delayed tasks of a loop, on one timerfd that is armed for the earliest. */
public final class DelayQueue {
    /** Deadlines are compared by difference: no two may be further apart than half the range of a long. */
    private static final long MAX_DELAY = Long.MAX_VALUE / 4;

    private final LoopClock clock;
    private final Ownership ownership;
    private final Inbox inbox;
    private final Failures failures;
    private final int maxTasksPerTurn;
    private final AtomicLong ages = new AtomicLong();
    private final int timerFd;
    private final TimerSpec spec = new TimerSpec();
    // Confined to the loop thread.
    private final DelayHeap heap = new DelayHeap();
    private boolean armed;
    private boolean running;
    private long armedFor;

    /** {@code timerFd}, a timerfd that stays the caller's, is armed for {@link #runDue}; not any more after {@link #clear}. */
    public DelayQueue(LoopClock clock, int timerFd, Ownership ownership, Inbox inbox, Failures failures, int maxTasksPerTurn) {
        this.clock = clock;
        this.ownership = ownership;
        this.inbox = inbox;
        this.failures = failures;
        this.maxTasksPerTurn = maxTasksPerTurn;
        this.timerFd = timerFd;
    }

    /** Any thread, with a new entry. A delay of 0 or less is due at once. */
    public void schedule(DelayEntry entry, Runnable task, long delayNanos) {
        entry.renew(task, clock.nanoTime() + Math.clamp(delayNanos, 0, MAX_DELAY), ages.getAndIncrement());
        if (inbox.isClosed() || !runOnLoop(entry)) {
            throw new RejectedExecutionException("The event loop has terminated");
        }
    }

    /** Loop thread. Takes an entry that is or is not waiting, and has it wait anew; false if the loop is ending. */
    public boolean rearm(DelayEntry entry, Runnable task, long delayNanos) {
        ownership.requireOwner();
        if (entry.heapIndex() != DelayEntry.NOT_IN_HEAP) {
            heap.remove(entry);
        }
        if (inbox.isClosed()) {
            entry.take();
            return false;
        }
        entry.renew(task, clock.nanoTime() + Math.clamp(delayNanos, 0, MAX_DELAY), ages.getAndIncrement());
        add(entry);
        return true;
    }

    /** Returns false if the loop has ended, and the heap with it. */
    boolean runOnLoop(DelayEntry entry) {
        if (ownership.isOwner()) {
            entry.run();
            return true;
        }
        return inbox.offer(entry);
    }

    void add(DelayEntry entry) {
        heap.add(entry);
        armForFirst();
    }

    void remove(DelayEntry entry) {
        heap.remove(entry);
    }

    /** Loop thread. {@code Long.MAX_VALUE} if nothing waits. */
    public long nextDeadline() {
        DelayEntry first = heap.first();
        return first == null ? Long.MAX_VALUE : first.deadlineNanos();
    }

    /** Loop thread. */
    public int size() {
        return heap.size();
    }

    /** Loop thread, when it terminates: those still waiting are cancelled. */
    public void clear() {
        running = true;
        for (DelayEntry first = heap.first(); first != null; first = heap.first()) {
            heap.remove(first);
            first.take();
        }
    }

    /** Loop thread. */
    public void runDue() {
        armed = false;
        running = true;
        long now = clock.nanoTime();
        for (int i = 0; i < maxTasksPerTurn; i++) {
            DelayEntry first = heap.first();
            if (first == null || first.deadlineNanos() - now > 0) {
                break;
            }
            heap.remove(first);
            run(first);
        }
        running = false;
        armForFirst();
    }

    private void run(DelayEntry entry) {
        Runnable task = entry.take();
        if (task == null) {
            return;
        }
        try {
            task.run();
        } catch (Throwable t) {
            failures.report(t);
        }
    }

    /** A timer that is armed too early is left alone: it costs one turn, arming it anew costs a system call. */
    private void armForFirst() {
        DelayEntry first = heap.first();
        if (running || first == null || clock.simulated()) {
            return;
        }
        long deadline = first.deadlineNanos();
        if (!armed || deadline - armedFor < 0) {
            armed = true;
            armedFor = deadline;
            spec.arm(timerFd, Math.max(1, deadline - clock.nanoTime()), 0);
        }
    }
}
