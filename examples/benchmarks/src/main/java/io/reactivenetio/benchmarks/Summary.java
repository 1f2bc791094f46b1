// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.benchmarks;

import java.util.Arrays;

/** What is told of the same figure of several rounds; 0 where there was none. */
public final class Summary {

    private Summary() {
    }

    public static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted.length == 0 ? 0 : (sorted[sorted.length / 2] + sorted[(sorted.length - 1) / 2]) / 2;
    }

    public static double min(double[] values) {
        return Arrays.stream(values).min().orElse(0);
    }

    public static double max(double[] values) {
        return Arrays.stream(values).max().orElse(0);
    }
}
