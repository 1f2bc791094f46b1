// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.backend;

import io.reactivenetio.loop.thread.LoopThreads;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Daemon threads for what may block. A task gets a thread that has nothing to do, or else a new one, up to a limit; beyond that
 * it waits. A pool of {@link ThreadPoolExecutor} with a queue would start a thread for each of the first tasks, also if they come
 * one after the other. Threads end when they have had nothing to do for some seconds. A loop that has a task for them waits
 * neither for the pool's lock nor for a thread to start.
 */
public final class WorkerPool extends ThreadPoolExecutor {
    private static final long IDLE_SECONDS = 10;

    /** A queue that takes a task only if a thread waits for it, so that the executor starts one if not. */
    private static final class Handover extends LinkedTransferQueue<Runnable> {
        private static final long serialVersionUID = 1L;

        @Override
        public boolean offer(Runnable task) {
            return tryTransfer(task);
        }

        void keep(Runnable task) {
            super.offer(task);
        }
    }

    WorkerPool(ThreadFactory threads, int most) {
        super(0, most, IDLE_SECONDS, TimeUnit.SECONDS, new Handover(), threads,
                (task, pool) -> ((WorkerPool) pool).keep(task));
    }

    /** A pool of up to {@code most} threads, whose names begin with {@code name}. */
    public static WorkerPool create(String name, int most) {
        return new WorkerPool(Thread.ofPlatform().daemon().name(name, 0).factory(), most);
    }

    /** Any thread. */
    @Override
    public void execute(Runnable task) {
        if (LoopThreads.contains(Thread.currentThread())) {
            LoopThreads.leave(() -> handOver(task));
        } else {
            super.execute(task);
        }
    }

    /** On a virtual thread, which runs the task if the JVM gets no other. */
    private void handOver(Runnable task) {
        try {
            super.execute(task);
        } catch (OutOfMemoryError noThread) {
            task.run();
        }
    }

    /** Called if all threads are busy, and there are as many as there may be. */
    private void keep(Runnable task) {
        if (isShutdown()) {
            throw new RejectedExecutionException("the threads have been shut down");
        }
        ((Handover) getQueue()).keep(task);
    }
}
