// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.cli;

/**
 * How much to request, and when, for a given number of messages per second. What was not used is not saved up for longer than
 * 100 ms, so that a pause is not followed by a burst.
 */
final class Pace {
    private static final double NANOS = 1e9;
    private static final double SAVED_SECONDS = 0.1;

    private final double perSecond;
    private final double most;
    private double tokens;
    private long last;

    Pace(double perSecond, long now) {
        this.perSecond = perSecond;
        this.most = Math.max(1, perSecond * SAVED_SECONDS);
        this.last = now;
    }

    /** How often to ask: as often as a message is due, within 1 ms and 1 s. */
    long intervalNanos() {
        return (long) Math.clamp(NANOS / perSecond, NANOS / 1000, NANOS);
    }

    /** How many more messages may be requested at {@code now}, when {@code outstanding} have been and did not come yet. */
    long next(long now, long outstanding) {
        tokens = Math.min(most, tokens + (now - last) / NANOS * perSecond);
        last = now;
        long due = (long) Math.min(tokens, Math.max(0, Math.ceil(most) - outstanding));
        tokens -= due;
        return due;
    }
}
