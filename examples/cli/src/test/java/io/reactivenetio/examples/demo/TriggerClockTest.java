// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.demo;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TriggerClockTest {
    private static final long SECOND = 1_000_000_000L;

    @Test
    void shouldFollowTheClockWhileTheLinksFollow() {
        TriggerClock clock = new TriggerClock(5 * SECOND, 0, 1000, 50);
        long issued = 0;
        for (int ms = 1; ms <= 1000; ms++) {
            issued = clock.advance(5 * SECOND + ms * 1_000_000L, issued);
            assertThat(issued).isEqualTo(ms);
        }
        assertThat(clock.lost()).isZero();
        assertThat(clock.busy()).isFalse();
    }

    @Test
    void shouldNeverBeMoreThanAWindowAheadOfTheSlowestLink() {
        TriggerClock clock = new TriggerClock(0, 0, 1000, 50);

        assertThat(clock.advance(SECOND, 0)).isEqualTo(50);
        assertThat(clock.busy()).isTrue();
        assertThat(clock.lost()).isEqualTo(950);
        assertThat(clock.advance(SECOND + 10_000_000, 0)).isEqualTo(50);
        assertThat(clock.lost()).isEqualTo(960);
    }

    @Test
    void shouldGoOnWhenTheLinksDoAndNotMakeUpForWhatWasLost() {
        TriggerClock clock = new TriggerClock(0, 0, 1000, 50);
        clock.advance(SECOND, 0);

        assertThat(clock.advance(SECOND + 20_000_000, 50)).isEqualTo(70);
        assertThat(clock.busy()).isFalse();
        assertThat(clock.due()).isEqualTo(1020);
        assertThat(clock.issued() + clock.lost()).isEqualTo(clock.due());
    }

    @Test
    void shouldRiseToItsRate() {
        TriggerClock clock = new TriggerClock(0, 1, 1000, 10_000);

        assertThat(clock.advance(SECOND / 2, 0)).isEqualTo(125);
        assertThat(clock.advance(SECOND, 0)).isEqualTo(500);
        assertThat(clock.advance(3 * SECOND, 0)).isEqualTo(2500);
    }

    @Test
    void shouldStandStillWhenTheTimeDoes() {
        TriggerClock clock = new TriggerClock(0, 0, 1000, 50);
        clock.advance(SECOND / 100, 0);

        assertThat(clock.advance(SECOND / 200, 0)).isEqualTo(10);
        assertThat(clock.lost()).isZero();
    }
}
