// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.loop.fd;

import io.reactivenetio.ffm.LibC;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** A reusable struct itimerspec: four s64, seconds and nanoseconds of the interval, then of the first expiry. */
public final class TimerSpec {
    private static final long NANOS_PER_SECOND = 1_000_000_000;

    private final MemorySegment segment = Arena.ofAuto().allocate(4 * Long.BYTES, Long.BYTES);

    /**
     * Arms the timerfd, relative to now; 0 disarms it. Either way timerfd_settime(2) forgets expiries that were not read.
     * Not thread-safe.
     */
    public void arm(int fd, long firstNanos, long intervalNanos) {
        segment.setAtIndex(ValueLayout.JAVA_LONG, 0, intervalNanos / NANOS_PER_SECOND);
        segment.setAtIndex(ValueLayout.JAVA_LONG, 1, intervalNanos % NANOS_PER_SECOND);
        segment.setAtIndex(ValueLayout.JAVA_LONG, 2, firstNanos / NANOS_PER_SECOND);
        segment.setAtIndex(ValueLayout.JAVA_LONG, 3, firstNanos % NANOS_PER_SECOND);
        Errno.check("timerfd_settime", LibC.timerfdSettime(fd, segment));
    }
}
