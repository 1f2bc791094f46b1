// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.demo;

/**
 * The trigger: events are due at a rate that rises to its nominal value and stays there, and are given to all links alike, but
 * never more than a window ahead of the slowest of them. What falls due while the window is full is lost: the detector was BUSY.
 * One thread advances it, any reads it.
 */
final class TriggerClock {
    private final long start;
    private final double ramp;
    private final double rate;
    private final long window;
    private volatile long due;
    private volatile long issued;
    private volatile long lost;
    private volatile boolean busy;

    /**
     * A clock that starts at once.
     *
     * @param start the time now, in ns
     * @param ramp how long the rate takes to rise, in s
     * @param rate events per second
     * @param window how many events may wait for the slowest link
     */
    TriggerClock(long start, double ramp, double rate, long window) {
        this.start = start;
        this.ramp = ramp;
        this.rate = rate;
        this.window = window;
    }

    /**
     * Lets the time come to {@code now}.
     *
     * @param slowest how many events of the slowest link have been delivered
     * @return how many events there are now
     */
    @SuppressWarnings("NonAtomicVolatileUpdate") // one thread writes
    long advance(long now, long slowest) {
        long fresh = Math.max(0, dueAt((now - start) / 1e9) - due);
        long given = Math.clamp(slowest + window - issued, 0, fresh);
        due += fresh;
        issued += given;
        lost += fresh - given;
        busy = given < fresh;
        return issued;
    }

    private long dueAt(double seconds) {
        return (long) (rate * (seconds < ramp ? seconds * seconds / (2 * ramp) : seconds - ramp / 2));
    }

    long due() {
        return due;
    }

    long issued() {
        return issued;
    }

    long lost() {
        return lost;
    }

    boolean busy() {
        return busy;
    }
}
