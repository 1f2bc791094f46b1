// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.recorder;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The pace of a replay of clocks that were set. */
class ReplayClockTest {
    private static final long SECOND = Duration.ofSeconds(1).toNanos();
    private static final long YEAR = Duration.ofDays(365).toNanos();
    private static final long HOUR = Duration.ofHours(1).toNanos();

    private final List<Duration> pauses = new ArrayList<>();
    private long now = 77;

    private ReplayClock clock(long first, double speed) {
        return new ReplayClock(first, speed, HOUR, nanos -> pauses.add(Duration.ofNanos(nanos)), () -> now);
    }

    /** Waits for an event as a reader does, and returns for how long. */
    private long emit(ReplayClock.Line line, long time) {
        long begun = now;
        for (long nanos = line.untilDue(time); nanos > 0; nanos = line.untilDue(time)) {
            now += nanos;
        }
        return now - begun;
    }

    @Test
    void shouldKeepThePace() {
        for (double speed : new double[] {1, 0.5, 8}) {
            ReplayClock.Line line = clock(5 * SECOND, speed).line(() -> { });
            assertThat(emit(line, 5 * SECOND)).isZero();
            for (int i = 6; i < 20; i++) {
                assertThat(emit(line, i * SECOND)).isEqualTo((long) (SECOND / speed));
            }
        }
        assertThat(pauses).isEmpty();
    }

    /** What follows has the pace that it had, whether it was set back by an hour or by a moment, once or often. */
    @Test
    void shouldGoOnAtItsPaceWhereTheClockWasSetBack() {
        ReplayClock.Line line = clock(0, 1).line(() -> { });
        long time = 0;
        long waited = 0;
        for (int i = 0; i < 100; i++) {
            waited += emit(line, time);
            time += i % 25 == 24 ? -HOUR * i : SECOND;
        }
        assertThat(waited).isEqualTo(96 * SECOND);
        assertThat(pauses).isEmpty();
    }

    /** Each stream comes to that place at another time. One of them has nothing between two such places. */
    @Test
    void shouldKeepStreamsTogetherWhereTheClockWasSetBack() {
        ReplayClock clock = clock(0, 1);
        ReplayClock.Line often = clock.line(() -> { });
        ReplayClock.Line seldom = clock.line(() -> { });
        emit(often, 0);
        emit(seldom, 0);
        for (int i = 1; i < 10; i++) {
            emit(often, i * SECOND);
        }
        long back = 100 * HOUR;
        emit(often, 10 * SECOND - back); // set back here, and again 10 s later
        for (int i = 11; i < 20; i++) {
            emit(often, i * SECOND - back);
        }
        long begun = now;
        emit(often, 20 * SECOND - 2 * back);
        assertThat(emit(seldom, 25 * SECOND - 2 * back)).isBetween(4 * SECOND, 6 * SECOND);
        emit(often, 25 * SECOND - 2 * back);
        assertThat(now - begun).isBetween(4 * SECOND, 7 * SECOND);
    }

    /** A machine that was booted in 1970: it does not stand still for 56 years, and says that it waits. */
    @Test
    void shouldLeaveOutWhatIsLongerThanTheLongestPause() {
        AtomicInteger woken = new AtomicInteger();
        ReplayClock clock = clock(0, 1);
        ReplayClock.Line one = clock.line(woken::incrementAndGet);
        ReplayClock.Line other = clock.line(woken::incrementAndGet);
        emit(one, 0);
        emit(one, SECOND);
        emit(other, 2 * SECOND);
        long later = 56 * YEAR;
        assertThat(other.untilDue(later + 5 * SECOND)).isPositive();
        assertThat(emit(one, later)).isEqualTo(HOUR);
        assertThat(woken).hasPositiveValue(); // the other asks again
        assertThat(emit(other, later + 5 * SECOND)).isEqualTo(5 * SECOND);
        assertThat(emit(one, later + 7 * SECOND)).isEqualTo(2 * SECOND);
        assertThat(pauses).containsExactly(Duration.ofHours(1).minusSeconds(1));
    }

    /** A stream with pauses of its own is no pause of the replay. */
    @Test
    void shouldNotLeaveOutThePauseOfAStreamWhileOthersGoOn() {
        ReplayClock clock = clock(0, 1);
        ReplayClock.Line often = clock.line(() -> { });
        ReplayClock.Line seldom = clock.line(() -> { });
        emit(seldom, 0);
        long begun = now;
        for (int i = 0; i <= 36; i++) {
            emit(often, i * HOUR / 6);
            assertThat(i == 36 || seldom.untilDue(6 * HOUR) > 0).isTrue();
        }
        assertThat(emit(seldom, 6 * HOUR)).isZero();
        assertThat(now - begun).isEqualTo(6 * HOUR);
    }

    @Test
    void shouldTakeAnyTime() {
        ReplayClock.Line line = clock(Long.MIN_VALUE, 1e-9).line(() -> { });
        for (long time : new long[] {Long.MIN_VALUE, Long.MAX_VALUE, 0, Long.MAX_VALUE, Long.MIN_VALUE, -1, 1}) {
            assertThat(emit(line, time)).isBetween(0L, HOUR + 1);
        }
    }
}
