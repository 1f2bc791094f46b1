// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.scheduler;

import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import reactor.core.Disposable;
import reactor.core.Exceptions;
import reactor.core.scheduler.Scheduler;

/**
 * Wraps another Scheduler. Its Workers, once disposed of, still run the tasks that were submitted without a delay. A
 * {@code publishOn} that is cancelled leaves its queue to the task that it has just submitted. If that never ran, the elements in
 * the queue would be lost. Any thread; a Worker belongs to whoever creates it.
 */
public record DrainingScheduler(Scheduler other) implements Scheduler {

    @Override
    public Disposable schedule(Runnable task) {
        return other.schedule(task);
    }

    @Override
    public Disposable schedule(Runnable task, long delay, TimeUnit unit) {
        return other.schedule(task, delay, unit);
    }

    @Override
    public Disposable schedulePeriodically(Runnable task, long initialDelay, long period, TimeUnit unit) {
        return other.schedulePeriodically(task, initialDelay, period, unit);
    }

    @Override
    public Worker createWorker() {
        return new DrainingWorker(other.createWorker());
    }

    @Override
    public boolean isDisposed() {
        return other.isDisposed();
    }

    /** Disposes of the other Worker after the last task without a delay. That drops the delayed tasks. */
    private static final class DrainingWorker implements Worker {
        private final Worker other;
        private final AtomicInteger pending = new AtomicInteger(1); // one for not being disposed of
        private final AtomicBoolean disposed = new AtomicBoolean();

        DrainingWorker(Worker other) {
            this.other = other;
        }

        @Override
        public Disposable schedule(Runnable task) {
            pending.incrementAndGet();
            QueuedTask counted = new QueuedTask(task, this);
            try {
                if (disposed.get()) {
                    throw Exceptions.failWithRejected();
                }
                counted.submitted = other.schedule(counted);
                return counted;
            } catch (RejectedExecutionException e) {
                counted.dispose();
                throw e;
            }
        }

        @Override
        public Disposable schedule(Runnable task, long delay, TimeUnit unit) {
            return other.schedule(unlessDisposed(task), delay, unit);
        }

        @Override
        public Disposable schedulePeriodically(Runnable task, long initialDelay, long period, TimeUnit unit) {
            return other.schedulePeriodically(unlessDisposed(task), initialDelay, period, unit);
        }

        private Runnable unlessDisposed(Runnable task) {
            if (disposed.get()) {
                throw Exceptions.failWithRejected();
            }
            return () -> {
                if (!disposed.get()) {
                    task.run();
                }
            };
        }

        void done() {
            if (pending.decrementAndGet() == 0) {
                other.dispose();
            }
        }

        @Override
        public void dispose() {
            if (disposed.compareAndSet(false, true)) {
                done();
            }
        }

        @Override
        public boolean isDisposed() {
            return disposed.get();
        }
    }

    /** A task that runs once, unless whoever submitted it disposes of it before. */
    private static final class QueuedTask implements Runnable, Disposable {
        private final Runnable task;
        private final DrainingWorker worker;
        private final AtomicBoolean over = new AtomicBoolean();
        private volatile Disposable submitted = () -> { };

        QueuedTask(Runnable task, DrainingWorker worker) {
            this.task = task;
            this.worker = worker;
        }

        @Override
        public void run() {
            if (over.compareAndSet(false, true)) {
                try {
                    task.run();
                } finally {
                    worker.done();
                }
            }
        }

        @Override
        public void dispose() {
            if (over.compareAndSet(false, true)) {
                submitted.dispose();
                worker.done();
            }
        }

        @Override
        public boolean isDisposed() {
            return over.get();
        }
    }
}
