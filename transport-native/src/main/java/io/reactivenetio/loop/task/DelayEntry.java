// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.loop.task;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * One delayed task. Whoever takes the task out of it, to run or to cancel it, is the only one who gets it. It is itself the
 * Runnable that goes through the inbox when another thread schedules or cancels.
 */
public class DelayEntry implements Runnable {
    static final int NOT_IN_HEAP = -1;

    private final DelayQueue queue;
    private final AtomicReference<@Nullable Runnable> task = new AtomicReference<>();
    private long deadlineNanos;
    private long age;
    /** Confined to the loop thread. */
    private int heapIndex = NOT_IN_HEAP;

    /** Waits for nothing until {@link DelayQueue#schedule}, or {@link DelayQueue#rearm}, has it. */
    public DelayEntry(DelayQueue queue) {
        this.queue = queue;
    }

    /** Any thread. True for the one call that prevented the task from running. */
    public final boolean cancel() {
        if (take() == null) {
            return false;
        }
        queue.runOnLoop(this);
        return true;
    }

    /** Loop thread: enters the heap, or leaves it when cancelled. A task cancelled before it got here never enters. */
    @Override
    public final void run() {
        if (task.get() == null) {
            if (heapIndex != NOT_IN_HEAP) {
                queue.remove(this);
            }
        } else if (heapIndex == NOT_IN_HEAP) {
            queue.add(this);
        }
    }

    /** Loop thread, out of the heap, or before any other has it: makes it a new one. */
    final void renew(Runnable newTask, long newDeadlineNanos, long newAge) {
        deadlineNanos = newDeadlineNanos;
        age = newAge;
        task.set(newTask);
    }

    /** Whether its task is neither run nor cancelled. */
    public final boolean isWaiting() {
        return task.get() != null;
    }

    /** Any thread. Null if it has been taken before. */
    final @Nullable Runnable take() {
        return task.getAndSet(null);
    }

    final boolean isBefore(DelayEntry other) {
        long difference = deadlineNanos - other.deadlineNanos;
        return difference < 0 || (difference == 0 && age < other.age);
    }

    final long deadlineNanos() {
        return deadlineNanos;
    }

    final int heapIndex() {
        return heapIndex;
    }

    final void heapIndex(int index) {
        heapIndex = index;
    }
}
