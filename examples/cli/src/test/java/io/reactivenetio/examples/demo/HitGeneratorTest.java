// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HitGeneratorTest {
    private static final int SAMPLES = 200_000;

    @ParameterizedTest
    @ValueSource(doubles = {0.5, 8, 120, 500})
    void shouldHaveMeanAndVarianceOfPoisson(double mean) {
        HitGenerator generator = new HitGenerator(mean, 42);
        double sum = 0;
        double squares = 0;
        for (int i = 0; i < SAMPLES; i++) {
            int n = generator.nextCount();
            sum += n;
            squares += (n - mean) * (n - mean);
        }
        double error = Math.sqrt(mean / SAMPLES);
        assertThat(sum / SAMPLES).isCloseTo(mean, within(5 * error));
        assertThat(squares / SAMPLES).isCloseTo(mean, within(5 * Math.sqrt((mean + 2 * mean * mean) / SAMPLES)));
    }

    @Test
    void shouldHaveEmptyFragmentsAsOftenAsPoisson() {
        HitGenerator generator = new HitGenerator(2, 1);
        int empty = 0;
        for (int i = 0; i < SAMPLES; i++) {
            empty += generator.nextCount() == 0 ? 1 : 0;
        }
        assertThat((double) empty / SAMPLES).isCloseTo(Math.exp(-2), within(0.005));
    }

    @Test
    void shouldRepeatItselfWithTheSameSeed() {
        int[] a = new int[100];
        int[] b = new int[100];
        int count = new HitGenerator(8, 7).fill(a);

        assertThat(new HitGenerator(8, 7).fill(b)).isEqualTo(count);
        assertThat(b).isEqualTo(a);
        for (int i = 0; i < count; i++) {
            assertThat(a[i] & 0xffff).isLessThan(1024);
            assertThat(a[i] >>> 16).isLessThan(4096);
        }
    }

    @Test
    void shouldRefuseAMeanThatDoesNotFit() {
        assertThatIllegalArgumentException().isThrownBy(() -> new HitGenerator(0, 1));
        assertThatIllegalArgumentException().isThrownBy(() -> new HitGenerator(501, 1));
    }
}
