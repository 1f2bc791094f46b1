// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.peers;

import io.reactivenetio.benchmarks.Meter;
import io.reactivenetio.benchmarks.Outcome;
import io.reactivenetio.benchmarks.Work;
import org.HdrHistogram.Histogram;

/**
 * Requests and the time until their answers. As many lanes as {@code work} has messages in flight; the next request of a lane
 * leaves when the one before is answered. One thread at a time.
 */
final class Trips {
    private static final long LONGEST = 10_000_000_000L;

    private final Meter meter;
    private final Histogram nanos = new Histogram(1, LONGEST, 3);
    private final long[] sentAt;
    private final long[] expected;
    private final long until;
    private long answered;
    private int open;

    Trips(Work work) {
        meter = Meter.ofAllThreads(work);
        sentAt = new long[work.inFlight()];
        expected = new long[work.inFlight()];
        open = work.inFlight();
        meter.begin();
        until = System.nanoTime() + (work.warmupMillis() + work.millis()) * 1_000_000;
    }

    int lanes() {
        return sentAt.length;
    }

    /** The first request of a lane; its number is the lane's. */
    long first(int lane) {
        sentAt[lane] = System.nanoTime();
        expected[lane] = lane;
        return lane;
    }

    /** The next request of the lane of this answer; {@link Numbers#LAST} when the time is up. */
    long answered(long number) {
        int lane = (int) Long.remainderUnsigned(number, sentAt.length);
        if (expected[lane] != number) {
            throw new IllegalStateException("answer " + number + " instead of " + expected[lane]);
        }
        answered++;
        long now = meter.clock(answered);
        if (meter.isMeasuring()) {
            nanos.recordValue(Math.min(now - sentAt[lane], LONGEST));
        }
        if (now - until >= 0) {
            open--;
            return Numbers.LAST;
        }
        sentAt[lane] = now;
        expected[lane] = number + sentAt.length;
        return expected[lane];
    }

    /** Whether the time is up and all requests are answered. */
    boolean isOver() {
        return open == 0;
    }

    Outcome end() {
        meter.end();
        return meter.outcome(answered, nanos);
    }
}
