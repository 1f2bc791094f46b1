// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.recorder;

import java.time.Instant;

/**
 * What is recorded of one run of a source.
 *
 * @param run the run
 * @param first the number of the first message, or of the first that is known to be missing
 * @param last the number of the last message, or of the last that is known to be missing; one less than {@code first} if the
 *     recorder knows of the run and no more
 * @param firstTime when the recorder got the first, in nanoseconds since 1970
 * @param lastTime when it got the last
 */
public record RecordedRun(long run, long first, long last, long firstTime, long lastTime) {

    /** {@link #firstTime} as an Instant. */
    public Instant from() {
        return RecordedEvent.toInstant(firstTime);
    }

    /** {@link #lastTime} as an Instant. */
    public Instant until() {
        return RecordedEvent.toInstant(lastTime);
    }
}
