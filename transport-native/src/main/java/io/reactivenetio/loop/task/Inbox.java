// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.loop.task;

import io.reactivenetio.loop.thread.Gate;
import java.util.concurrent.locks.LockSupport;
import org.jctools.queues.varhandle.MpscUnboundedVarHandleArrayQueue;

/**
 * The tasks other threads have for the loop, first in, first out. A task that is accepted is run, whenever the loop
 * terminates: the loop closes the gate, waits for those inside to finish their offer, and runs what is left.
 */
public final class Inbox {
    private static final int CHUNK = 1024;
    private static final long OFFER_NANOS = 1_000;
    private static final long LONGEST_NANOS = 1_000_000;

    private final LoopClock clock;
    private final Gate gate = new Gate();
    private final MpscUnboundedVarHandleArrayQueue<Runnable> queue = new MpscUnboundedVarHandleArrayQueue<>(CHUNK);
    private final WakeUp wakeUp;
    private final Failures failures;
    private final LoopCounters counters;

    public Inbox(LoopClock clock, WakeUp wakeUp, Failures failures, LoopCounters counters) {
        this.clock = clock;
        this.wakeUp = wakeUp;
        this.failures = failures;
        this.counters = counters;
        counters.inbox(queue::size);
    }

    /** Any thread. Returns false, and the task is not run, after {@link #close}. */
    public boolean offer(Runnable task) {
        if (!gate.enter()) {
            return false;
        }
        try {
            queue.offer(task);
        } finally {
            gate.exit();
        }
        wakeUp.wake();
        return true;
    }

    /** Any thread, idempotent. Wakes the loop: a closed inbox is what ends it. */
    public void close() {
        if (gate.close()) {
            wakeUp.wake();
        }
    }

    public boolean isClosed() {
        return gate.isClosed();
    }

    /** Loop thread. An offer under way counts as content already. */
    public boolean isEmpty() {
        return queue.isEmpty();
    }

    /**
     * Loop thread. Returns how many tasks were run: at most {@code max}. When those after the first have taken a millisecond, the
     * others are left to the next turn, so that what arrives meanwhile is served between them.
     */
    public int run(int max) {
        int ran = 0;
        long begun = 0;
        while (ran < max && runNext()) {
            long now = clock.nanoTime();
            ran++;
            if (ran == 1) {
                begun = now;
            } else if (now - begun > LONGEST_NANOS) {
                break;
            }
        }
        return ran;
    }

    /** Returns false if there is no task, or if the first offer is still under way. */
    private boolean runNext() {
        Runnable task = queue.relaxedPoll(); // instead of spinning until the offering thread is scheduled again
        if (task == null) {
            return false;
        }
        counters.countTask();
        try {
            task.run();
        } catch (Throwable t) {
            failures.report(t);
        }
        return true;
    }

    /** Loop thread, after {@link #close}: runs all that was ever accepted. */
    public void drain() {
        while (!gate.isClosedAndEmpty()) {
            LockSupport.parkNanos(OFFER_NANOS);
        }
        while (!queue.isEmpty()) {
            runNext();
        }
    }
}
