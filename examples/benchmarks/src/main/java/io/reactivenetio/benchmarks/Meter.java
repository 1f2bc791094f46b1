// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.benchmarks;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/** Notes where the measured part of a round begins and ends, as seen by one thread. */
final class Meter {
    /** The clock is read once for so many messages. */
    static final int CLOCK_EVERY = 64;

    private static final ThreadMXBean THREADS = ManagementFactory.getPlatformMXBean(ThreadMXBean.class);

    private final long warmupNanos;
    private long began;
    private boolean measuring;
    private long fromNanos;
    private long toNanos;
    private long countFrom;
    private long countTo;
    private long allocatedFrom;
    private long allocatedTo;

    Meter(Work work) {
        this.warmupNanos = work.warmupMillis() * 1_000_000;
    }

    void begin() {
        began = System.nanoTime();
    }

    /** {@code count} messages are over. Returns the time. */
    long clock(long count) {
        long now = System.nanoTime();
        if (!measuring && now - began >= warmupNanos) {
            measuring = true;
            fromNanos = now;
            countFrom = count;
            allocatedFrom = THREADS.getCurrentThreadAllocatedBytes();
        }
        toNanos = now;
        countTo = count;
        return now;
    }

    boolean isMeasuring() {
        return measuring;
    }

    /** Nothing is measured from here on. */
    void end() {
        allocatedTo = THREADS.getCurrentThreadAllocatedBytes();
    }

    Outcome outcome(long total, long p50, long p99) {
        return measuring ? new Outcome(countTo - countFrom, toNanos - fromNanos, total, p50, p99, allocatedTo - allocatedFrom)
                : new Outcome(0, 0, total, 0, 0, 0);
    }
}
