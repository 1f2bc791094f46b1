// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.send.page;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RequestWindowTest {
    private static final int LARGE = 64 << 20;

    private static final long MILLISECOND = 1_000_000;

    private final RequestWindow window = new RequestWindow();
    private long nanos = 3 * MILLISECOND;

    private long ask() {
        long n = window.free(nanos);
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
        assertThat(window.free(nanos)).isZero();
        come(1, LARGE);
        assertThat(ask()).isEqualTo(1);
    }

    @Test
    void shouldSoonAskForManySmallOnes() {
        askSlowly(14);
        assertThat(ask()).isEqualTo(RequestWindow.MOST / 4 - 1);
    }

    private void askSlowly(int times) {
        for (int i = 0; i < times; i++) {
            come(ask(), 8);
            nanos += 2 * MILLISECOND;
        }
    }

    /** The upstream's thread would have to be woken for each few thousand. */
    @Test
    void shouldAskForMoreWhereElementsLeaveQuickly() {
        askSlowly(20);
        for (int i = 0; i < 6; i++) {
            come(ask(), 8);
            nanos += MILLISECOND / 10;
        }
        assertThat(ask()).isEqualTo(RequestWindow.MOST - 1);
    }

    /** Their number says nothing about the next one's size. */
    @Test
    void shouldAskForFewAsLongAsAllAreEmpty() {
        for (int i = 0; i < 20; i++) {
            come(ask(), 0);
            assertThat(window.free(nanos)).isBetween(1L, 8L);
        }
        come(ask(), 8);
        assertThat(ask()).isGreaterThan(8);
    }

    @Test
    void shouldAskForFewerOnceTheyLeaveSlowly() {
        shouldAskForMoreWhereElementsLeaveQuickly();
        come(RequestWindow.MOST / 8, 8);
        nanos += 2 * MILLISECOND;
        assertThat(ask()).isZero();
        come(RequestWindow.MOST, 8);
        nanos += 2 * MILLISECOND;
        assertThat(window.free(nanos) + window.unused()).isEqualTo(RequestWindow.MOST / 4 - 1);
    }
}
