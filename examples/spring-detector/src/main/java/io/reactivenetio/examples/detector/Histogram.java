// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.detector;

import java.util.List;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.DoubleUnaryOperator;
import java.util.stream.IntStream;

/** Counts values in bins. What is below the first counts in the first, what is above the last in the last. Any thread. */
final class Histogram {
    private final DoubleUnaryOperator scale;
    private final double low;
    private final double width;
    private final AtomicLongArray bins;

    private Histogram(DoubleUnaryOperator scale, double low, double high, int bins) {
        this.scale = scale;
        this.low = scale.applyAsDouble(low);
        this.width = (scale.applyAsDouble(high) - this.low) / bins;
        this.bins = new AtomicLongArray(bins);
    }

    static Histogram linear(double low, double high, int bins) {
        return new Histogram(value -> value, low, high, bins);
    }

    /** Each power of ten has {@code binsPerDecade}. */
    static Histogram logarithmic(double low, double high, int binsPerDecade) {
        return new Histogram(Math::log10, low, high, (int) Math.round(Math.log10(high / low) * binsPerDecade));
    }

    void add(double value) {
        int bin = (int) Math.floor((scale.applyAsDouble(value) - low) / width);
        bins.incrementAndGet(Math.clamp(bin, 0, bins.length() - 1));
    }

    /** How often each bin was counted. */
    List<Long> counts() {
        return IntStream.range(0, bins.length()).mapToObj(bins::get).toList();
    }
}
