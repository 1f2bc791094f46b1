// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.recorder;

import java.util.function.LongUnaryOperator;

/** Says how many nanoseconds an event is still to wait. It begins to run when it is asked for the first time. */
final class ReplayClock implements LongUnaryOperator {
    private final long first;
    private final double speed;
    private boolean runs;
    private long started;

    /** {@code first} is the recorded time at which the clock begins. */
    ReplayClock(long first, double speed) {
        this.first = first;
        this.speed = speed;
    }

    @Override
    public synchronized long applyAsLong(long time) {
        long now = System.nanoTime();
        if (!runs) {
            runs = true;
            started = now;
        }
        return (long) ((time - first) / speed) - (now - started);
    }
}
