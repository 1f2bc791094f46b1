// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.loop;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * One delayed task. Whoever takes the task out of it, to run or to cancel it, is the only one who gets it. It is itself the
 * Runnable that goes through the inbox when another thread schedules or cancels.
 */
final class DelayEntry implements DelayedTask, Runnable {
    static final int NOT_IN_HEAP = -1;

    private final DelayQueue queue;
    private final AtomicReference<@Nullable Runnable> task;
    private long deadlineNanos;
    private long age;
    /** Confined to the loop thread. */
    private int heapIndex = NOT_IN_HEAP;

    DelayEntry(DelayQueue queue, Runnable task, long deadlineNanos, long age) {
        this.queue = queue;
        this.task = new AtomicReference<>(task);
        this.deadlineNanos = deadlineNanos;
        this.age = age;
    }

    @Override
    public boolean cancel() {
        if (take() == null) {
            return false;
        }
        queue.runOnLoop(this);
        return true;
    }

    /** Loop thread: enters the heap, or leaves it when cancelled. A task cancelled before it got here never enters. */
    @Override
    public void run() {
        if (task.get() == null) {
            if (heapIndex != NOT_IN_HEAP) {
                queue.remove(this);
            }
        } else if (heapIndex == NOT_IN_HEAP) {
            queue.add(this);
        }
    }

    /** Loop thread, out of the heap: makes it a new one. */
    void renew(Runnable newTask, long newDeadlineNanos, long newAge) {
        deadlineNanos = newDeadlineNanos;
        age = newAge;
        task.set(newTask);
    }

    /** Whether its task is neither run nor cancelled. */
    boolean isWaiting() {
        return task.get() != null;
    }

    /** Any thread. Null if it has been taken before. */
    @Nullable Runnable take() {
        return task.getAndSet(null);
    }

    boolean isBefore(DelayEntry other) {
        long difference = deadlineNanos - other.deadlineNanos;
        return difference < 0 || (difference == 0 && age < other.age);
    }

    long deadlineNanos() {
        return deadlineNanos;
    }

    int heapIndex() {
        return heapIndex;
    }

    void heapIndex(int index) {
        heapIndex = index;
    }
}
