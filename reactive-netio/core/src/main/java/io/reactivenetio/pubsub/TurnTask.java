// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.pubsub;

import io.reactivenetio.loop.EventLoop;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** A task for the end of a loop's turn, which is done once in a turn, however often it is wanted. Any thread. */
final class TurnTask implements Runnable {
    private final Runnable task;
    private final AtomicBoolean due = new AtomicBoolean();
    private volatile @Nullable EventLoop loop;

    TurnTask(Runnable task) {
        this.task = task;
    }

    /** Sets on which loop the task is done from now on. */
    void on(EventLoop next) {
        loop = next;
    }

    /** Does the task at the end of this turn or of the next one; not without a loop, or when that has terminated. */
    void soon() {
        EventLoop on = loop;
        if (on != null && !due.getAndSet(true)) {
            try {
                on.execute(() -> on.atEndOfTurn(this));
            } catch (RejectedExecutionException terminated) {
                due.set(false); // it is done on the next loop, if it is wanted then
            }
        }
    }

    @Override
    public void run() {
        due.set(false);
        task.run();
    }
}
