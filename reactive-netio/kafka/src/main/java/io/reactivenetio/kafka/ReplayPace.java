// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.kafka;

/** When the next message is due: at a rate, or at the messages' own times. For one thread. */
final class ReplayPace {
    private static final double SECOND = 1e9;
    private static final long SAVED = 100_000_000;
    private static final long FAR = Long.MAX_VALUE / 4;
    /** What is longer between two messages is no pause, but a clock that was set: from 1970 to the present, for instance. */
    static final long JUMP = 24L * 3_600 * 1_000_000_000;

    private final double speed;
    private final long interval;
    private boolean begun;
    private long lastTime;
    private long due;

    /** One of the two is 0, or both: then everything is due at once. */
    ReplayPace(double speed, double rate) {
        this.speed = speed;
        this.interval = rate > 0 ? Math.max(1, (long) Math.min((double) FAR, SECOND / rate)) : 0;
    }

    /** How long the message of {@code time} has to wait at {@code now}, in ns; the message may go if that is not above 0. */
    long untilDue(long time, long now) {
        return begun && (speed > 0 || interval > 0) ? next(time, now) - now : 0;
    }

    /** The message of {@code time} goes now. */
    void gone(long time, long now) {
        long next = begun ? next(time, now) : now;
        due = interval == 0 && now - next > SAVED ? now : next; // with the messages' times, what is late is not made up for
        begun = true;
        lastTime = time;
    }

    /** Whether the clock of those who wrote was set between the last message and that of {@code time}: it is not waited for. */
    boolean hasJumped(long time) {
        return begun && speed > 0 && time > lastTime && (time - lastTime < 0 || time - lastTime > JUMP);
    }

    private long next(long time, long now) {
        if (interval > 0) {
            return Math.max(due + interval, now - SAVED);
        }
        boolean waits = speed > 0 && time > lastTime && !hasJumped(time);
        return due + (waits ? (long) Math.min((double) FAR, (double) (time - lastTime) / speed) : 0);
    }
}
