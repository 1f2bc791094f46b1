// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.loop;

import io.reactivenetio.loop.task.DelayEntry;
import io.reactivenetio.loop.task.DelayQueue;
import java.util.concurrent.TimeUnit;

/** A task that is delayed again and again, without a new object each time. Loop thread only. */
public final class RepeatedDelay {
    private final DelayQueue queue;
    private final Runnable task;
    private final DelayEntry entry;

    RepeatedDelay(DelayQueue queue, Runnable task) {
        this.queue = queue;
        this.task = task;
        this.entry = new DelayEntry(queue);
    }

    /**
     * Runs the task once after this delay, instead of when it was to be run before. False, and it is not, if the loop is
     * terminating.
     */
    public boolean arm(long delay, TimeUnit unit) {
        return queue.rearm(entry, task, unit.toNanos(delay));
    }

    /** Does not run it. */
    public void cancel() {
        entry.cancel();
    }

    /** Whether it is going to be run. */
    public boolean isArmed() {
        return entry.isWaiting();
    }
}
