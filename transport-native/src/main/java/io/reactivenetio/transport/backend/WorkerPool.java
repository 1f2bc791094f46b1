// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.backend;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Daemon threads for what may block. A task gets a thread that has nothing to do, or else a new one, up to a limit; beyond that
 * it waits. A pool of {@link ThreadPoolExecutor} with a queue would start a thread for each of the first tasks, also if they come
 * one after the other. Threads end when they have had nothing to do for some seconds.
 */
public final class WorkerPool {
    private static final long IDLE_SECONDS = 10;

    private WorkerPool() {
    }

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

    /** A pool of up to {@code most} threads, whose names begin with {@code name}. */
    public static ThreadPoolExecutor create(String name, int most) {
        BlockingQueue<Runnable> queue = new Handover();
        return new ThreadPoolExecutor(0, most, IDLE_SECONDS, TimeUnit.SECONDS, queue,
                Thread.ofPlatform().daemon().name(name, 0).factory(), (task, executor) -> keep(task, executor, queue));
    }

    /** Called if all threads are busy, and there are as many as there may be. */
    private static void keep(Runnable task, ThreadPoolExecutor executor, BlockingQueue<Runnable> queue) {
        if (executor.isShutdown()) {
            throw new RejectedExecutionException("the threads have been shut down");
        }
        ((Handover) queue).keep(task);
    }
}
