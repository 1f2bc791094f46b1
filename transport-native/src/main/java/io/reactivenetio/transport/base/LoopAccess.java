// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.base;

import io.reactivenetio.loop.DelayedTask;
import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.transport.backend.ThreadSafetyModel;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Checks which threads call a backend, and brings to its loop what has to happen there. Any thread. */
final class LoopAccess {
    private final EventLoop loop;
    private final boolean safe;

    LoopAccess(EventLoop loop, ThreadSafetyModel model) {
        this.loop = loop;
        this.safe = model == ThreadSafetyModel.SAFE;
    }

    /** Fails on any thread but the loop's, unless the backend is SAFE. */
    void check() {
        if (!safe && !loop.inEventLoop()) {
            throw new IllegalStateException("called on thread " + Thread.currentThread().getName() + ", not on the event loop");
        }
    }

    /**
     * Runs a task now, or, SAFE and on another thread, on the loop as soon as possible. False if the loop has terminated, or is
     * about to: it closes everything then.
     */
    boolean run(Runnable task) {
        if (loop.inEventLoop()) {
            task.run();
            return true;
        }
        check();
        try {
            loop.execute(task);
            return true;
        } catch (RejectedExecutionException terminated) {
            return false;
        }
    }

    /** Runs a task after a pause, unless the loop terminates before: then everything is closed anyway, and this is null. */
    @Nullable DelayedTask after(long pause, TimeUnit unit, Runnable task) {
        try {
            return loop.schedule(task, pause, unit);
        } catch (RejectedExecutionException terminating) {
            return null;
        }
    }
}
