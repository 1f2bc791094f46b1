// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.send.page;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RequestWindowTest {
    private static final int LARGE = 64 << 20;

    private final RequestWindow window = new RequestWindow();

    private long ask() {
        long n = window.free();
        window.asked(n);
        return n;
    }

    private void come(long elements, int bytes) {
        for (long i = 0; i < elements; i++) {
            window.seen(bytes);
            window.gone(1);
        }
    }

    /** A first one is small, and those that it announces are not. */
    @Test
    void shouldAskForFewAsLongAsFewHaveBeenSmall() {
        long first = ask();
        assertThat(first).isEqualTo(1);
        come(first, 8);
        assertThat(ask()).isEqualTo(2);
        window.seen(LARGE);
        window.gone(1);
        assertThat(window.free()).isZero();
        come(1, LARGE);
        assertThat(ask()).isEqualTo(1);
    }

    @Test
    void shouldSoonAskForManySmallOnes() {
        for (int i = 0; i < 14; i++) {
            come(ask(), 8);
        }
        assertThat(ask()).isEqualTo(RequestWindow.MOST - 1);
    }
}
