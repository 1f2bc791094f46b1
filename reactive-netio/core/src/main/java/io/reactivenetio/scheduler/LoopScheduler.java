// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.scheduler;

import io.reactivenetio.loop.DelayedTask;
import io.reactivenetio.loop.EventLoop;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.Exceptions;
import reactor.core.Scannable;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * Reactor's Scheduler on an event loop. It has one thread, which runs tasks in the order in which they are given, and never
 * inline. Tasks are never interrupted. Delays and periods share the loop's one timerfd.
 */
public final class LoopScheduler implements Scheduler, Scannable {
    private static final Scheduler ON_THIS_THREAD = Schedulers.fromExecutor(Runnable::run);

    private final EventLoop loop;
    private volatile boolean disposed;

    public LoopScheduler(EventLoop loop) {
        this.loop = loop;
    }

    @Override
    public Disposable schedule(Runnable task) {
        return new Task(task, null).now();
    }

    @Override
    public Disposable schedule(Runnable task, long delay, TimeUnit unit) {
        return new Task(task, null).after(delay, unit);
    }

    @Override
    public Disposable schedulePeriodically(Runnable task, long initialDelay, long period, TimeUnit unit) {
        return new Task(task, null).every(initialDelay, period, unit);
    }

    @Override
    public Worker createWorker() {
        return new LoopWorker();
    }

    /** Does nothing. That a Scheduler which has ended cannot begin again is Reactor's rule. */
    @Override
    public void init() {
        if (isDisposed()) {
            throw new IllegalStateException("the scheduler of " + loop + " has been disposed of");
        }
    }

    @Override
    public void dispose() {
        disposed = true;
    }

    @Override
    public boolean isDisposed() {
        return disposed || loop.isTerminated();
    }

    @Override
    public @Nullable Object scanUnsafe(@SuppressWarnings("rawtypes") Attr key) {
        if (key == Attr.TERMINATED || key == Attr.CANCELLED) {
            return isDisposed();
        }
        if (key == Attr.NAME) {
            return "netio";
        }
        return null;
    }

    @Override
    public String toString() {
        return "LoopScheduler(" + loop + ")";
    }

    private final class LoopWorker implements Worker {
        private final Disposable.Composite tasks = Disposables.composite();

        @Override
        public Disposable schedule(Runnable task) {
            return tracked(task).now();
        }

        @Override
        public Disposable schedule(Runnable task, long delay, TimeUnit unit) {
            return tracked(task).after(delay, unit);
        }

        @Override
        public Disposable schedulePeriodically(Runnable task, long initialDelay, long period, TimeUnit unit) {
            return tracked(task).every(initialDelay, period, unit);
        }

        private Task tracked(Runnable task) {
            Task tracked = new Task(task, tasks);
            if (!tasks.add(tracked)) {
                throw Exceptions.failWithRejected();
            }
            return tracked;
        }

        @Override
        public void dispose() {
            tasks.dispose();
        }

        @Override
        public boolean isDisposed() {
            return tasks.isDisposed();
        }
    }

    /** A task from the moment it is given to its one run, or its last. */
    private final class Task implements Runnable, Disposable {
        private final Disposable.@Nullable Composite parent;
        private volatile @Nullable Runnable body;
        private volatile @Nullable DelayedTask delayed;
        private long periodNanos = -1;
        private long nextNanos;

        Task(Runnable task, Disposable.@Nullable Composite parent) {
            this.body = Schedulers.onSchedule(task);
            this.parent = parent;
        }

        Task now() {
            return submit(() -> loop.execute(this));
        }

        Task after(long delay, TimeUnit unit) {
            return delay <= 0 ? now() : submit(() -> runAfter(unit.toNanos(delay)));
        }

        Task every(long initialDelay, long period, TimeUnit unit) {
            periodNanos = Math.max(0, unit.toNanos(period));
            nextNanos = loop.nanoTime() + Math.max(0, unit.toNanos(initialDelay));
            return after(initialDelay, unit);
        }

        private Task submit(Runnable submission) {
            if (LoopScheduler.this.isDisposed()) {
                forget();
                throw Exceptions.failWithRejected();
            }
            try {
                submission.run();
                return this;
            } catch (RejectedExecutionException e) {
                forget();
                throw Exceptions.failWithRejected(e);
            }
        }

        private void runAfter(long nanos) {
            DelayedTask task = loop.schedule(this, nanos, TimeUnit.NANOSECONDS);
            delayed = task;
            if (body == null) {
                task.cancel(); // it was disposed of meanwhile
            }
        }

        @Override
        public void run() {
            Runnable task = body;
            if (task == null) {
                return;
            }
            if (LoopScheduler.this.disposed && delayed != null) {
                forget(); // the loop still runs tasks without a delay, and drops the others
                return;
            }
            boolean repeat = periodNanos >= 0;
            try {
                task.run();
            } catch (Throwable t) { // ends a periodic task
                repeat = false;
                forget();
                tell(t);
            }
            if (!repeat) {
                forget(); // not before: until then it is not disposed
            } else if (body != null) {
                again();
            }
        }

        /**
         * Reports what a task throws as Reactor's own Schedulers do: to the thread's handler of uncaught exceptions and to the
         * hook of {@code Schedulers.onHandleError}. Both can be reached only by failing on a Scheduler of Reactor's.
         */
        private static void tell(Throwable error) {
            ON_THIS_THREAD.schedule(() -> {
                throw Exceptions.propagate(error);
            });
        }

        private void again() {
            nextNanos += periodNanos;
            try {
                runAfter(Math.max(1, nextNanos - loop.nanoTime()));
            } catch (RejectedExecutionException terminated) {
                forget();
            }
        }

        private void forget() {
            body = null;
            Disposable.Composite owner = parent;
            if (owner != null) {
                owner.remove(this);
            }
        }

        @Override
        public void dispose() {
            if (body != null) {
                forget();
                DelayedTask task = delayed;
                if (task != null) {
                    task.cancel();
                }
            }
        }

        @Override
        public boolean isDisposed() {
            return body == null;
        }
    }
}
