// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.benchmarks;

/**
 * What one side of a round measured.
 *
 * @param messages messages, or round trips, after the warm-up
 * @param nanos how long these took
 * @param total messages in all, with the warm-up
 * @param p50 round trip in ns, median; 0 if none was measured
 * @param p99 round trip in ns, 99th percentile; 0 if none was measured
 * @param p999 round trip in ns, 99.9th percentile; 0 if none was measured
 * @param allocated bytes allocated on the heap after the warm-up, -1 if there is no heap
 * @param cpu ns that all threads of the process have run after the warm-up, -1 if not known
 * @param resident bytes that the process has got more in memory since the warm-up, -1 if not known
 */
public record Outcome(long messages, long nanos, long total, long p50, long p99, long p999, long allocated, long cpu,
        long resident) {
    private static final String PREFIX = "result ";

    /** NaN if nothing was measured, as where a round ends with its warm-up. */
    public double perSecond() {
        return nanos <= 0 || messages <= 0 ? Double.NaN : messages * 1e9 / nanos;
    }

    /** Bytes on the heap; NaN if not known. */
    public double allocatedPerMessage() {
        return allocated < 0 || messages <= 0 ? Double.NaN : (double) allocated / messages;
    }

    /** Nanoseconds of processor time; NaN if not known, as where the round was too short for the clock. */
    public double cpuPerMessage() {
        return cpu <= 0 || messages <= 0 ? Double.NaN : (double) cpu / messages;
    }

    /** Bytes; NaN if not known. */
    public double residentPerMessage() {
        return resident < 0 || messages <= 0 ? Double.NaN : (double) resident / messages;
    }

    /** Returns {@link #p50}, {@link #p99} or {@link #p999} in ns: NaN if no round trip was measured. */
    public static double nanos(long percentile) {
        return percentile <= 0 ? Double.NaN : percentile;
    }

    /** A worker's answer. */
    public String line() {
        return PREFIX + "messages=" + messages + " nanos=" + nanos + " total=" + total + " p50=" + p50 + " p99=" + p99
                + " p999=" + p999 + " allocated=" + allocated + " cpu=" + cpu + " resident=" + resident;
    }

    static Outcome parse(String line) {
        if (!line.startsWith(PREFIX)) {
            throw new IllegalArgumentException("not a result: " + line);
        }
        return new Outcome(field(line, "messages", 0), field(line, "nanos", 0), field(line, "total", 0), field(line, "p50", 0),
                field(line, "p99", 0), field(line, "p999", 0), field(line, "allocated", -1), field(line, "cpu", -1),
                field(line, "resident", -1));
    }

    private static long field(String line, String name, long otherwise) {
        for (String word : line.split(" ", -1)) {
            if (word.startsWith(name + "=")) {
                return Long.parseLong(word.substring(name.length() + 1));
            }
        }
        return otherwise;
    }
}
