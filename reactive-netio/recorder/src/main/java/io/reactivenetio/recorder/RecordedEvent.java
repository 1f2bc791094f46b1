// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.recorder;

import io.reactivenetio.pubsub.SequencedEvent;
import java.time.Instant;
import java.util.concurrent.TimeUnit;

/**
 * What was recorded, and when.
 *
 * @param event the message, or what is missing
 * @param time when the recorder got it, in nanoseconds since the beginning of 1970 by the clock of its machine. What is missing
 *     without a record of its own has the time of what comes next
 */
public record RecordedEvent(SequencedEvent event, long time) {

    /** The time as an Instant. */
    public Instant instant() {
        return toInstant(time);
    }

    static Instant toInstant(long nanos) {
        long second = TimeUnit.SECONDS.toNanos(1);
        return Instant.ofEpochSecond(Math.floorDiv(nanos, second), Math.floorMod(nanos, second));
    }

    /** Nanoseconds since 1970, or the end of what a long has for times beyond the years 1677 to 2262. */
    static long toNanos(Instant instant) {
        try {
            return Math.addExact(Math.multiplyExact(instant.getEpochSecond(), TimeUnit.SECONDS.toNanos(1)), instant.getNano());
        } catch (ArithmeticException e) {
            return instant.getEpochSecond() < 0 ? Long.MIN_VALUE : Long.MAX_VALUE;
        }
    }
}
