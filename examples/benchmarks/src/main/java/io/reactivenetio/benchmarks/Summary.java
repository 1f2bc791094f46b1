// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.benchmarks;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.DoubleStream;

/** What is told of the same figure of several rounds. NaN stands for what was not measured: it counts in no figure. */
public final class Summary {
    /** What is written in place of a figure that was not measured. */
    public static final String NOT_MEASURED = "–";

    private Summary() {
    }

    /** NaN where there was none. */
    public static double median(double[] values) {
        double[] sorted = measured(values).sorted().toArray();
        return sorted.length == 0 ? Double.NaN : (sorted[sorted.length / 2] + sorted[(sorted.length - 1) / 2]) / 2;
    }

    /** NaN where there was none. */
    public static double min(double[] values) {
        return measured(values).min().orElse(Double.NaN);
    }

    /** NaN where there was none. */
    public static double max(double[] values) {
        return measured(values).max().orElse(Double.NaN);
    }

    private static DoubleStream measured(double[] values) {
        return Arrays.stream(values).filter(Double::isFinite);
    }

    /** The figure for people, in a format such as {@code %.2f}, or {@link #NOT_MEASURED}. */
    @SuppressWarnings("AnnotateFormatMethod") // would need Error Prone's annotations
    public static String figure(String format, double figure) {
        return Double.isFinite(figure) ? String.format(Locale.ROOT, format, figure) : NOT_MEASURED;
    }

    /** The figure for JSON, in a format such as {@code %.2f}, or null. */
    @SuppressWarnings("AnnotateFormatMethod") // would need Error Prone's annotations
    public static String json(String format, double figure) {
        return Double.isFinite(figure) ? String.format(Locale.ROOT, format, figure) : "null";
    }
}
