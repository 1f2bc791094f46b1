// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.test;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import reactor.core.scheduler.Scheduler;

/**
 * The time of loops that a test drives. It stands still unless it is moved, and follows Reactor's virtual time while a test has
 * that enabled. It never goes back. Any thread.
 */
final class PairClock {
    private long now = TimeUnit.SECONDS.toNanos(1);
    private @Nullable Scheduler followed;
    private long ahead;

    /** Nanoseconds, good for differences only. */
    synchronized long now() {
        follow();
        return now;
    }

    /** Reactor's virtual time, if it is followed at present. */
    synchronized @Nullable Scheduler followed() {
        follow();
        return followed;
    }

    /** Moves the time, unless somebody else does. */
    synchronized void moveTo(long nanos) {
        follow();
        if (followed == null) {
            now = Math.max(now, nanos);
        }
    }

    private void follow() {
        Scheduler current = ReactorTime.current();
        if (current != followed) {
            followed = current;
            ahead = current == null ? 0 : now - current.now(TimeUnit.NANOSECONDS);
        }
        if (current != null) {
            now = Math.max(now, ahead + current.now(TimeUnit.NANOSECONDS));
        }
    }
}
