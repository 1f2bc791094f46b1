// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.scheduler;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.Scannable;
import reactor.core.scheduler.Scheduler;

/**
 * A loop's Scheduler for connections, servers and users, who share it. So disposing of it does nothing, as with the shared
 * instances of Reactor's {@code Schedulers}: the owner of the loops ends it. Workers are disposed of by those who create them.
 */
public final class SharedScheduler implements Scheduler, Scannable {
    private final LoopScheduler loop;

    public SharedScheduler(LoopScheduler loop) {
        this.loop = loop;
    }

    @Override
    public Disposable schedule(Runnable task) {
        return loop.schedule(task);
    }

    @Override
    public Disposable schedule(Runnable task, long delay, TimeUnit unit) {
        return loop.schedule(task, delay, unit);
    }

    @Override
    public Disposable schedulePeriodically(Runnable task, long initialDelay, long period, TimeUnit unit) {
        return loop.schedulePeriodically(task, initialDelay, period, unit);
    }

    @Override
    public Worker createWorker() {
        return loop.createWorker();
    }

    @Override
    public void init() {
        loop.init();
    }

    @Override
    public void dispose() {
        // no user may end what others share
    }

    @Override
    public boolean isDisposed() {
        return loop.isDisposed();
    }

    @Override
    public @Nullable Object scanUnsafe(@SuppressWarnings("rawtypes") Attr key) {
        return loop.scanUnsafe(key);
    }

    @Override
    public String toString() {
        return loop.toString();
    }
}
