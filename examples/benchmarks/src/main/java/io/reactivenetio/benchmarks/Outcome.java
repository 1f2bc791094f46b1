// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.benchmarks;

/**
 * What one side of a round measured.
 *
 * @param messages messages, or round trips, after the warm-up
 * @param nanos how long these took
 * @param total messages in all, with the warm-up
 * @param p50 round trip in ns, median
 * @param p99 round trip in ns, 99th percentile
 * @param allocated bytes allocated on the heap after the warm-up by the thread that does the work, -1 if there is no heap
 */
record Outcome(long messages, long nanos, long total, long p50, long p99, long allocated) {
    private static final String PREFIX = "result ";

    double perSecond() {
        return nanos <= 0 ? 0 : messages * 1e9 / nanos;
    }

    double allocatedPerMessage() {
        return allocated < 0 || messages <= 0 ? 0 : (double) allocated / messages;
    }

    String line() {
        return PREFIX + "messages=" + messages + " nanos=" + nanos + " total=" + total + " p50=" + p50 + " p99=" + p99
                + " allocated=" + allocated;
    }

    static Outcome parse(String line) {
        if (!line.startsWith(PREFIX)) {
            throw new IllegalArgumentException("not a result: " + line);
        }
        return new Outcome(field(line, "messages", 0), field(line, "nanos", 0), field(line, "total", 0), field(line, "p50", 0),
                field(line, "p99", 0), field(line, "allocated", -1));
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
