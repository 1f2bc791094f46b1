// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.benchmarks;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.LongSupplier;
import org.HdrHistogram.Histogram;

/** Notes where the measured part of a round begins and ends, as seen by one thread. */
public final class Meter {
    /** The clock is read once for so many messages. */
    public static final int CLOCK_EVERY = 64;

    private static final ThreadMXBean THREADS = ManagementFactory.getPlatformMXBean(ThreadMXBean.class);

    private static final OperatingSystemMXBean PROCESS = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

    private static final Path STATUS = Path.of("/proc/self/status");
    private static final String RESIDENT = "VmRSS:";

    private final long warmupNanos;
    private final LongSupplier allocated;
    private long began;
    private boolean measuring;
    private long fromNanos;
    private long toNanos;
    private long countFrom;
    private long countTo;
    private long allocatedFrom;
    private long allocatedTo;
    private long cpuFrom;
    private long cpuTo;
    private long residentFrom;
    private long residentTo;

    /** Counts the bytes that the calling thread allocates. */
    Meter(Work work) {
        this(work, THREADS::getCurrentThreadAllocatedBytes);
    }

    private Meter(Work work, LongSupplier allocated) {
        this.warmupNanos = work.warmupMillis() * 1_000_000;
        this.allocated = allocated;
    }

    /** Counts the bytes that all threads of the process allocate, for work that is done by several. */
    public static Meter ofAllThreads(Work work) {
        return new Meter(work, THREADS::getTotalThreadAllocatedBytes);
    }

    public void begin() {
        began = System.nanoTime();
    }

    /** {@code count} messages are over. Returns the time. */
    public long clock(long count) {
        long now = System.nanoTime();
        if (!measuring && now - began >= warmupNanos) {
            measuring = true;
            fromNanos = now;
            countFrom = count;
            residentFrom = resident();
            cpuFrom = PROCESS.getProcessCpuTime();
            allocatedFrom = allocated.getAsLong(); // the last: what is before it allocates
        }
        toNanos = now;
        countTo = count;
        return now;
    }

    public boolean isMeasuring() {
        return measuring;
    }

    /** Nothing is measured from here on. */
    public void end() {
        allocatedTo = allocated.getAsLong();
        cpuTo = PROCESS.getProcessCpuTime();
        residentTo = resident();
    }

    /** Returns what messages were like, of which {@code total} have been sent or have arrived. */
    public Outcome outcome(long total) {
        return measuring ? new Outcome(countTo - countFrom, toNanos - fromNanos, total, 0, 0, 0, allocatedTo - allocatedFrom,
                cpuTo - cpuFrom, residentTo - residentFrom) : new Outcome(0, 0, total, 0, 0, 0, 0, -1, -1);
    }

    /** Returns what round trips were like, of which there were {@code total} with those of the warm-up. */
    public Outcome outcome(long total, Histogram nanos) {
        Outcome o = outcome(total);
        return new Outcome(o.messages(), o.nanos(), total, nanos.getValueAtPercentile(50), nanos.getValueAtPercentile(99),
                nanos.getValueAtPercentile(99.9), o.allocated(), o.cpu(), o.resident());
    }

    /** Bytes of the process that are in memory. */
    private static long resident() {
        try {
            String status = Files.readString(STATUS);
            int at = status.indexOf(RESIDENT) + RESIDENT.length();
            return Long.parseLong(status.substring(at, status.indexOf(" kB", at)).strip()) * 1024;
        } catch (IOException e) {
            throw new UncheckedIOException("no " + STATUS, e);
        }
    }
}
