// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.simulation;

import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.publisher.Hooks;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** Reactor's own Schedulers, which are another world's threads from world to world. */
public final class SimulatedSchedulers implements Schedulers.Factory {
    /** A world is on one thread, and others may be on others. */
    private static final ThreadLocal<@Nullable Scheduler> CURRENT = new ThreadLocal<>();
    private static final ThreadLocal<@Nullable VirtualMachine> MACHINE = new ThreadLocal<>();

    /** From here on, and until {@link #uninstall}, what runs on a Scheduler of Reactor's runs in a world. */
    public static void install() {
        Schedulers.setFactory(new SimulatedSchedulers());
        Hooks.onErrorDropped(error -> { }); // of who has cancelled: Reactor's to drop
        Interleaving.install();
    }

    public static void uninstall() {
        Schedulers.resetFactory();
        Hooks.resetOnErrorDropped();
        Interleaving.uninstall();
    }

    public static void enter(VirtualMachine machine) {
        CURRENT.set(new SimulatedScheduler(machine));
        MACHINE.set(machine);
    }

    public static void leave() {
        CURRENT.remove();
        MACHINE.remove();
    }

    /** Between two steps of whatever runs in the world of this thread, if there is one. */
    public static void yield() {
        VirtualMachine machine = MACHINE.get();
        if (machine != null) {
            machine.yield();
        }
    }

    private static Scheduler world() {
        Scheduler scheduler = CURRENT.get();
        if (scheduler == null) {
            throw new IllegalStateException("no world");
        }
        return scheduler;
    }

    @Override
    public Scheduler newBoundedElastic(int threadCap, int queuedTaskCap, ThreadFactory threadFactory, int ttlSeconds) {
        return new Delegate();
    }

    @Override
    public Scheduler newParallel(int parallelism, ThreadFactory threadFactory) {
        return new Delegate();
    }

    @Override
    public Scheduler newSingle(ThreadFactory threadFactory) {
        return new Delegate();
    }

    /** Of whatever world there is. */
    private static final class Delegate implements Scheduler {
        @Override
        public Disposable schedule(Runnable task) {
            return world().schedule(task);
        }

        @Override
        public Disposable schedule(Runnable task, long delay, TimeUnit unit) {
            return world().schedule(task, delay, unit);
        }

        @Override
        public Disposable schedulePeriodically(Runnable task, long initialDelay, long period, TimeUnit unit) {
            return world().schedulePeriodically(task, initialDelay, period, unit);
        }

        @Override
        public long now(TimeUnit unit) {
            return world().now(unit);
        }

        @Override
        public Worker createWorker() {
            return world().createWorker();
        }
    }
}
