// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.backend;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Durations as users give them, in the bounds of a long: {@code Duration.ofSeconds(Long.MAX_VALUE)} and {@code
 * ChronoUnit.FOREVER.getDuration()} are for ever, and no ArithmeticException. Any thread.
 */
public final class Durations {
    /** 292 years, which is for ever. */
    public static final Duration FOREVER = Duration.ofNanos(Long.MAX_VALUE);

    private Durations() {
    }

    /** Nanoseconds in {@code time}, at most {@link Long#MAX_VALUE} and at least {@link Long#MIN_VALUE}. */
    public static long nanos(Duration time) {
        return TimeUnit.NANOSECONDS.convert(time);
    }

    /** Whole milliseconds in {@code time}, at most {@link Long#MAX_VALUE} and at least {@link Long#MIN_VALUE}. */
    public static long millis(Duration time) {
        return TimeUnit.MILLISECONDS.convert(time);
    }

    /** {@code limit} as others can wait for it: at least zero, at most {@link #FOREVER}. */
    public static Duration bounded(Duration limit) {
        return limit.isNegative() ? Duration.ZERO : limit.compareTo(FOREVER) > 0 ? FOREVER : limit;
    }

    /** {@link #bounded} with {@code more} added. */
    public static Duration plus(Duration limit, Duration more) {
        return bounded(bounded(limit).plus(more));
    }
}
