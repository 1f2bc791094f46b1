// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.demo;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.LongAdder;

/** How many fragments had how many hits. Any thread. */
final class Histogram {
    private static final int BINS = 24;
    private static final int BIN_COLUMNS = 3;

    private final LongAdder[] bins = new LongAdder[BINS];
    private final LongAdder count = new LongAdder();
    private final LongAdder sum = new LongAdder();
    private final int binWidth;

    /** A histogram of about three times {@code mean}. */
    Histogram(double mean) {
        binWidth = Math.max(1, (int) Math.ceil((mean + 5 * Math.sqrt(mean)) / BINS));
        for (int i = 0; i < BINS; i++) {
            bins[i] = new LongAdder();
        }
    }

    void add(int hits) {
        bins[Math.min(BINS - 1, hits / binWidth)].increment();
        count.increment();
        sum.add(hits);
    }

    double mean() {
        long n = count.sum();
        return n == 0 ? 0 : (double) sum.sum() / n;
    }

    /** {@code height} lines of bars, and one of numbers. */
    List<String> lines(int height, Glyphs glyphs) {
        long[] values = new long[BINS];
        long most = 1;
        for (int i = 0; i < BINS; i++) {
            values[i] = bins[i].sum();
            most = Math.max(most, values[i]);
        }
        List<String> lines = new ArrayList<>();
        for (int row = height - 1; row >= 0; row--) {
            StringBuilder line = new StringBuilder();
            for (long value : values) {
                char c = glyphs.column((double) value * height / most - row);
                line.append(c).append(c).append(' ');
            }
            lines.add(line.toString().stripTrailing());
        }
        StringBuilder axis = new StringBuilder();
        for (int i = 0; i < BINS; i += 4) {
            axis.append(String.format(Locale.ROOT, "%-" + 4 * BIN_COLUMNS + "d", i * binWidth));
        }
        lines.add(axis.toString().stripTrailing());
        return lines;
    }
}
