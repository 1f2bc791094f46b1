// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.peers;

import io.reactivenetio.benchmarks.Meter;
import io.reactivenetio.benchmarks.Outcome;
import io.reactivenetio.benchmarks.Work;

/** The numbers of the messages that one side of a stream makes or checks, and when. One thread at a time. */
final class Numbers {
    /** What follows the last message. */
    static final long LAST = -1;

    private final Meter meter;
    private final long nanos;
    private long number;
    private long until;

    Numbers(Work work) {
        meter = Meter.ofAllThreads(work);
        nanos = (work.warmupMillis() + work.millis()) * 1_000_000;
    }

    /** The next one to send; {@link #LAST} when the time is up. */
    long next() {
        if (number == 0) {
            meter.begin();
            until = System.nanoTime() + nanos;
        }
        return number % Meter.CLOCK_EVERY == 0 && meter.clock(number) - until >= 0 ? LAST : number++;
    }

    void check(long arrived) {
        if (arrived != number) {
            throw new IllegalStateException("message " + arrived + " instead of " + number);
        }
        count();
    }

    /** One more has arrived, whatever its number: the other side knows which it wants. */
    void count() {
        number++;
        if (number % Meter.CLOCK_EVERY == 1) {
            if (number == 1) {
                meter.begin();
            }
            meter.clock(number);
        }
    }

    Outcome end() {
        meter.end();
        return meter.outcome(number);
    }
}
