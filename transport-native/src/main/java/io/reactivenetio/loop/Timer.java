// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.loop;

import io.reactivenetio.ffm.LibC;
import io.reactivenetio.loop.fd.Errno;
import io.reactivenetio.loop.fd.GuardedFd;
import io.reactivenetio.loop.fd.TimerSpec;
import java.util.concurrent.TimeUnit;

/**
 * Calls its callback on the loop thread, periodically or once; a timerfd_create(2) on CLOCK_MONOTONIC, like the timers of
 * NetIO-next. Periods that pass while the loop is busy coalesce into one callback, and do not shift those after them.
 *
 * <p>All methods may be called from any thread. On the loop thread {@code stop} and a new {@code start} are exact: no callback
 * of an expiry before them is delivered. From another thread one whose expiry the loop has just read may still run.
 * A terminating loop closes its timers.
 */
public final class Timer implements AutoCloseable {
    private final WatchedFd watched;
    private final TimerSpec spec = new TimerSpec();

    private Timer(WatchedFd watched) {
        this.watched = watched;
    }

    static Timer open(WatchedFds fds, Runnable callback) {
        int fd = LibC.timerfdCreate(LibC.CLOCK_MONOTONIC, LibC.TFD_CLOEXEC | LibC.TFD_NONBLOCK);
        return new Timer(fds.open(Errno.check("timerfd_create", fd), 1, callback));
    }

    /**
     * Calls back after every {@code period}, the first time after one period. Replaces what was started before.
     *
     * @throws IllegalArgumentException unless the period is positive
     * @throws IllegalStateException if the timer or its loop is closed
     */
    public void start(long period, TimeUnit unit) {
        long nanos = positiveNanos(period, unit);
        arm(nanos, nanos);
    }

    /**
     * Calls back once, after {@code delay}. Replaces what was started before.
     *
     * @throws IllegalArgumentException unless the delay is positive
     * @throws IllegalStateException if the timer or its loop is closed
     */
    public void startOnce(long delay, TimeUnit unit) {
        arm(positiveNanos(delay, unit), 0);
    }

    /** No further callback until the next start. Does nothing when it is stopped or closed. */
    public void stop() {
        tryArm(0, 0);
    }

    /** Stops and releases the timer. Idempotent. */
    @Override
    public void close() {
        watched.close();
    }

    private static long positiveNanos(long time, TimeUnit unit) {
        if (time <= 0) {
            throw new IllegalArgumentException("Not a positive time: " + time);
        }
        return unit.toNanos(time);
    }

    private void arm(long firstNanos, long intervalNanos) {
        if (!tryArm(firstNanos, intervalNanos)) {
            throw new IllegalStateException("The timer is closed");
        }
    }

    private boolean tryArm(long firstNanos, long intervalNanos) {
        GuardedFd fd = watched.fd();
        if (!fd.enter()) {
            return false;
        }
        try {
            synchronized (spec) {
                spec.arm(fd.fd(), firstNanos, intervalNanos);
            }
        } finally {
            fd.exit();
        }
        return true;
    }
}
