// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.test;

import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.scheduler.Scheduler;
import reactor.test.scheduler.VirtualTimeScheduler;

/** Reactor's virtual time, where reactor-test is there and a test has enabled it. */
final class ReactorTime {
    private static final boolean PRESENT = isPresent();

    private ReactorTime() {
    }

    private static boolean isPresent() {
        try {
            VirtualTimeScheduler.isFactoryEnabled();
            return true;
        } catch (LinkageError e) { // reactor-test is optional, and may be there where this module does not read it
            return false;
        }
    }

    /** The Scheduler that says the time now; null if that is nobody's but the clock's. */
    static @Nullable Scheduler current() {
        if (!PRESENT || !VirtualTimeScheduler.isFactoryEnabled()) {
            return null;
        }
        try {
            return VirtualTimeScheduler.get();
        } catch (IllegalStateException e) { // it was reset just now
            return null;
        }
    }

    /** Has {@code task} run after so many nanoseconds of {@code time}, at once if that is none. */
    static Disposable schedule(Scheduler time, Runnable task, long nanos) {
        try {
            return time.schedule(task, Math.max(0, nanos), TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException over) {
            return () -> { };
        }
    }

    /** Moves {@code time}, which {@link #current} gave. */
    static void advance(Scheduler time, Duration by) {
        ((VirtualTimeScheduler) time).advanceTimeBy(by);
    }
}
