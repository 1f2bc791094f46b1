// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.recorder;

import java.time.Duration;

/** When a recorder has the operating system bring what it wrote to the disk, and so what an acknowledgement means. Immutable. */
public final class Fsync {
    private static final Fsync NEVER = new Fsync(-1);
    private static final Fsync EACH = new Fsync(0);

    private final long nanos;

    private Fsync(long nanos) {
        this.nanos = nanos;
    }

    /**
     * Never. What is acknowledged was given to the operating system: it survives the end of the process, also by kill -9, and not
     * that of the machine.
     */
    public static Fsync never() {
        return NEVER;
    }

    /**
     * At most once in {@code interval}, of a day at most. What is acknowledged is on the disk, and acknowledgements come as
     * often.
     *
     * @throws IllegalArgumentException if the interval is not positive
     */
    public static Fsync interval(Duration interval) {
        if (interval.isNegative() || interval.isZero()) {
            throw new IllegalArgumentException("the interval must be longer than nothing: " + interval);
        }
        return new Fsync(interval.compareTo(Duration.ofDays(1)) > 0 ? Duration.ofDays(1).toNanos() : interval.toNanos());
    }

    /** After each write: one fsync for all that came together meanwhile. What is acknowledged is on the disk. */
    public static Fsync each() {
        return EACH;
    }

    boolean isNever() {
        return nanos < 0;
    }

    /** 0: after each write. */
    long nanos() {
        return nanos;
    }

    @Override
    public String toString() {
        return isNever() ? "never" : nanos == 0 ? "each" : "interval " + Duration.ofNanos(nanos);
    }
}
