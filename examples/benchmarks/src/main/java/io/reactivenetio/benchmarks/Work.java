// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.benchmarks;

import java.util.Locale;

/**
 * What one round does. Its {@link #line} is the end of a worker's command, the same for Java and C.
 *
 * @param size bytes of a message, 8 at least
 * @param inFlight buffers on each side, where it can be chosen
 * @param warmupMillis what is not measured at first
 * @param millis what is measured then
 * @param provider libfabric's provider
 */
public record Work(Mode mode, int size, int inFlight, Waiting waiting, long warmupMillis, long millis, String provider) {
    private static final int FIELDS = 7;

    /** What is sent. */
    public enum Mode { STREAM, ROUNDTRIP }

    /** How a side waits for completions: by asking without end, or asleep on the queue's descriptor. */
    public enum Waiting { SPIN, SLEEP }

    public String line() {
        return mode + " " + size + " " + inFlight + " " + waiting + " " + warmupMillis + " " + millis + " " + provider;
    }

    /** Reads what {@link #line} wrote, from {@code words} at {@code offset}. */
    public static Work parse(String[] words, int offset) {
        if (words.length < offset + FIELDS) {
            throw new IllegalArgumentException(words.length + " words");
        }
        return new Work(Mode.valueOf(words[offset]), Integer.parseInt(words[offset + 1]), Integer.parseInt(words[offset + 2]),
                Waiting.valueOf(words[offset + 3]), Long.parseLong(words[offset + 4]), Long.parseLong(words[offset + 5]),
                words[offset + 6]);
    }

    Work lasting(long newMillis) {
        return new Work(mode, size, inFlight, waiting, warmupMillis, newMillis, provider);
    }

    String waitName() {
        return waiting.name().toLowerCase(Locale.ROOT);
    }
}
