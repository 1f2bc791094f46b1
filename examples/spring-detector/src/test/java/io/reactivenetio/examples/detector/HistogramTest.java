// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.detector;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class HistogramTest {

    @Test
    void shouldCountInBinsOfTheSameWidth() {
        Histogram histogram = Histogram.linear(0, 40, 4);
        for (double value : new double[] {0, 9.9, 10, 39, 40, 1e30, -1}) {
            histogram.add(value);
        }
        assertThat(histogram.counts()).containsExactly(3L, 1L, 0L, 3L);
    }

    @Test
    void shouldCountInBinsOfTheSameRatio() {
        Histogram histogram = Histogram.logarithmic(10, 1e5, 2);
        for (double value : new double[] {0, 10, 31, 32, 99, 101, 99_999, 100_001, Double.POSITIVE_INFINITY}) {
            histogram.add(value);
        }
        assertThat(histogram.counts()).containsExactly(3L, 2L, 1L, 0L, 0L, 0L, 0L, 3L);
    }
}
