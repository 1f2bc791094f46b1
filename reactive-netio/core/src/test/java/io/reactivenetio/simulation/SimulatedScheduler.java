// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.simulation;

import java.util.concurrent.TimeUnit;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.Exceptions;
import reactor.core.scheduler.Scheduler;

/** Other threads of a world: tasks run some time later, outside of every loop; those of a worker one after the other. */
final class SimulatedScheduler implements Scheduler {
    private static final long MOST_DELAY_NANOS = 20_000;

    private final VirtualMachine machine;

    SimulatedScheduler(VirtualMachine machine) {
        this.machine = machine;
    }

    @Override
    public long now(TimeUnit unit) {
        return unit.convert(machine.now(), TimeUnit.NANOSECONDS);
    }

    @Override
    public Disposable schedule(Runnable task) {
        return createWorker().schedule(task);
    }

    @Override
    public Disposable schedule(Runnable task, long delay, TimeUnit unit) {
        return createWorker().schedule(task, delay, unit);
    }

    @Override
    public Disposable schedulePeriodically(Runnable task, long initialDelay, long period, TimeUnit unit) {
        return createWorker().schedulePeriodically(task, initialDelay, period, unit);
    }

    @Override
    public Worker createWorker() {
        return new Thread();
    }

    /** One thread. */
    private final class Thread implements Worker {
        private final Disposable.Composite tasks = Disposables.composite();
        private long lastAt;

        @Override
        public Disposable schedule(Runnable task) {
            lastAt = Math.max(lastAt, machine.now() + machine.drawNanos(MOST_DELAY_NANOS));
            return at(lastAt, task);
        }

        @Override
        public Disposable schedule(Runnable task, long delay, TimeUnit unit) {
            return delay <= 0 ? schedule(task) : at(machine.now() + unit.toNanos(delay), task);
        }

        @Override
        public Disposable schedulePeriodically(Runnable task, long initialDelay, long period, TimeUnit unit) {
            return schedule(new Runnable() {
                @Override
                public void run() {
                    task.run();
                    if (!isDisposed()) {
                        schedule(this, period, unit);
                    }
                }
            }, initialDelay, unit);
        }

        private Disposable at(long time, Runnable task) {
            if (tasks.isDisposed()) {
                throw Exceptions.failWithRejected();
            }
            Disposable once = Disposables.single();
            tasks.add(once);
            machine.after(time - machine.now(), () -> {
                if (!once.isDisposed()) {
                    tasks.remove(once);
                    task.run();
                }
            });
            return once;
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
}
