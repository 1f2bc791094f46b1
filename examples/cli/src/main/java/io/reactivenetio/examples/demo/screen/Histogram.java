// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.demo.screen;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.LongAdder;

/** How many fragments had how many hits. Any thread. */
public final class Histogram {
    private static final int BINS = 24;
    private static final int LABELLED = 4;
    private static final int WIDEST = 3;

    private final LongAdder[] bins = new LongAdder[BINS];
    private final LongAdder count = new LongAdder();
    private final LongAdder sum = new LongAdder();
    private final int binWidth;

    /** A histogram of about three times {@code mean}. */
    public Histogram(double mean) {
        binWidth = Math.max(1, (int) Math.ceil((mean + 5 * Math.sqrt(mean)) / BINS));
        for (int i = 0; i < BINS; i++) {
            bins[i] = new LongAdder();
        }
    }

    public void add(int hits) {
        bins[Math.min(BINS - 1, hits / binWidth)].increment();
        count.increment();
        sum.add(hits);
    }

    public Counts counts() {
        long n = count.sum();
        return new Counts(Arrays.stream(bins).map(LongAdder::sum).toList(), binWidth, n == 0 ? 0 : (double) sum.sum() / n);
    }

    /**
     * The histogram at one moment.
     *
     * @param bins how many fragments each bin has
     * @param binWidth how many numbers of hits share a bin
     * @param mean of the hits
     */
    public record Counts(List<Long> bins, int binWidth, double mean) {

        /** {@code height} lines of bars, and one of numbers, as wide as there is room. */
        public List<String> lines(int height, int columns, Glyphs glyphs) {
            int each = Math.clamp(columns / bins.size(), 1, WIDEST);
            String space = each == 1 ? "" : " ";
            long most = Math.max(1, bins.stream().mapToLong(value -> value).max().orElse(1));
            List<String> lines = new ArrayList<>();
            for (int row = height - 1; row >= 0; row--) {
                StringBuilder line = new StringBuilder();
                for (long value : bins) {
                    String bar = String.valueOf(glyphs.column((double) value * height / most - row));
                    line.append(bar.repeat(Math.max(1, each - 1))).append(space);
                }
                lines.add(line.toString().stripTrailing());
            }
            StringBuilder axis = new StringBuilder();
            for (int i = 0; i < bins.size(); i += LABELLED) {
                axis.append(String.format(Locale.ROOT, "%-" + LABELLED * each + "d", i * binWidth));
            }
            lines.add(axis.toString().stripTrailing());
            return lines;
        }
    }
}
