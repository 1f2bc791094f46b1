// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ReplayPaceTest {
    private static final long MS = 1_000_000;

    @Test
    void shouldKeepTheMessagesDistancesTimesTheFactor() {
        ReplayPace pace = new ReplayPace(2, 0);
        assertThat(pace.untilDue(500 * MS, 7 * MS)).isZero();
        pace.gone(500 * MS, 7 * MS);
        assertThat(pace.untilDue(600 * MS, 7 * MS)).isEqualTo(50 * MS);
        pace.gone(600 * MS, 58 * MS); // 1 ms late: made up for
        assertThat(pace.untilDue(700 * MS, 58 * MS)).isEqualTo(49 * MS);
        pace.gone(700 * MS, 1_000 * MS); // much too late: not made up for
        assertThat(pace.untilDue(800 * MS, 1_000 * MS)).isEqualTo(50 * MS);
    }

    @Test
    void shouldNotWaitWhenTheClockGoesBackAndGoOnFromThere() {
        ReplayPace pace = new ReplayPace(1, 0);
        pace.gone(500 * MS, 0);
        assertThat(pace.untilDue(100 * MS, 0)).isZero();
        pace.gone(100 * MS, 0);
        assertThat(pace.untilDue(110 * MS, 0)).isEqualTo(10 * MS);
    }

    @Test
    void shouldNotWaitForDaysWhenTheClockWasSetForward() {
        ReplayPace pace = new ReplayPace(0.5, 0);
        long year2026 = 1_790_000_000_000L * MS;
        pace.gone(0, 0);
        assertThat(pace.untilDue(ReplayPace.JUMP, 0)).isEqualTo(2 * ReplayPace.JUMP);
        assertThat(pace.hasJumped(ReplayPace.JUMP)).isFalse();
        for (long time : new long[] {ReplayPace.JUMP + 1, year2026, Long.MAX_VALUE}) {
            assertThat(pace.untilDue(time, 0)).isZero();
            assertThat(pace.hasJumped(time)).isTrue();
        }
        pace.gone(year2026, 0);
        assertThat(pace.untilDue(year2026 + 10 * MS, 0)).isEqualTo(20 * MS);
        pace.gone(Long.MIN_VALUE, 0);
        assertThat(pace.untilDue(Long.MAX_VALUE, 0)).isZero();
    }

    @Test
    void shouldKeepARateAndSaveNoMoreThanATenthOfASecond() {
        ReplayPace pace = new ReplayPace(0, 100);
        pace.gone(0, 0);
        assertThat(pace.untilDue(0, 0)).isEqualTo(10 * MS);
        int burst = 0;
        while (pace.untilDue(0, 5_000 * MS) <= 0) {
            pace.gone(0, 5_000 * MS);
            burst++;
        }
        assertThat(burst).isBetween(10, 11);
    }

    @Test
    void shouldWaitForNothingWithoutAPace() {
        ReplayPace pace = new ReplayPace(0, 0);
        pace.gone(0, 0);
        assertThat(pace.untilDue(Long.MAX_VALUE, 0)).isZero();
    }
}
