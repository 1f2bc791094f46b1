// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.pubsub;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivenetio.NetioClient;
import io.reactivenetio.Warnings;
import io.reactivenetio.api.Tags;
import io.reactivenetio.loop.EventLoopConfig;
import io.reactivenetio.loop.SimulatedLoop;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How often, and when, it is told what was missed. */
class MissedReportTest {
    private static final long INTERVAL = TimeUnit.MILLISECONDS.toNanos(100);

    private final List<Missed> told = new ArrayList<>();
    private final SimulatedLoop simulated = new SimulatedLoop(EventLoopConfig.defaults(), this::now);
    private final MissedReport report = report(Duration.ofNanos(INTERVAL));
    private long now = 1;

    private long now() {
        return now;
    }

    @AfterEach
    void close() {
        simulated.loop().close();
        simulated.turn();
    }

    private MissedReport report(Duration interval) {
        return new MissedReport(Tags.of(7), MissedRule.of(interval, told::add));
    }

    private void add(MissedReport to, long dropped, long missed) {
        simulated.loop().execute(() -> to.add(simulated.loop(), dropped, missed));
        simulated.turn();
    }

    private void end(MissedReport of) {
        simulated.loop().execute(of::ended);
        simulated.turn();
    }

    private void pass(long nanos) {
        now += nanos;
        simulated.turn();
    }

    private List<Long> counts() {
        return told.stream().map(Missed::messages).toList();
    }

    @Test
    void shouldTellTheFirstAtOnceAndSumsOfTheOthersWhenTheIntervalIsOver() {
        add(report, 3, 0);
        assertThat(counts()).containsExactly(3L);
        for (int i = 0; i < 1_000; i++) {
            pass(INTERVAL / 1_000 - 1);
            add(report, 2, 0);
        }
        add(report, 0, 5);
        assertThat(counts()).containsExactly(3L);
        assertThat(simulated.delayedTasks()).isEqualTo(1);
        pass(1_000);
        assertThat(counts()).containsExactly(3L, 2_005L);
        Missed sums = told.getLast();
        assertThat(sums.tags()).isEqualTo(Tags.of(7));
        assertThat(sums.dropped()).isEqualTo(2_000);
        assertThat(sums.missed()).isEqualTo(5);
        assertThat(sums.from()).isAfterOrEqualTo(told.getFirst().until());
        assertThat(sums.until()).isAfterOrEqualTo(sums.from());
        pass(INTERVAL);
        assertThat(told).hasSize(2);
        assertThat(simulated.delayedTasks()).isZero();
        add(report, 1, 0); // the last is long ago
        assertThat(counts()).containsExactly(3L, 2_005L, 1L);
    }

    /** However many there are: ten per second, and the last sum. */
    @Test
    void shouldTellNoMoreOftenThanTheRuleSays() {
        int seconds = 3;
        for (int i = 0; i < seconds * 10_000; i++) {
            add(report, 1, 0);
            pass(TimeUnit.SECONDS.toNanos(1) / 10_000);
        }
        end(report);
        assertThat(told.size()).isBetween(seconds * 10, seconds * 10 + 2);
        assertThat(counts().stream().mapToLong(n -> n).sum()).isEqualTo(seconds * 10_000);
    }

    @Test
    void shouldTellTheRestAtTheEndAndLeaveNoTaskBehind() {
        add(report, 1, 0);
        add(report, 1, 1);
        end(report);
        assertThat(counts()).containsExactly(1L, 2L);
        assertThat(simulated.delayedTasks()).isZero();
        end(report);
        pass(10 * INTERVAL);
        assertThat(told).hasSize(2);
        add(report, 0, 4); // of the next connection, long after
        assertThat(counts()).containsExactly(1L, 2L, 4L);
    }

    @Test
    void shouldTellEachTimeWithoutAnIntervalAndOnceWithAnEndlessOne() {
        MissedReport each = report(Duration.ZERO);
        add(each, 1, 0);
        add(each, 2, 0);
        assertThat(counts()).containsExactly(1L, 2L);
        told.clear();
        MissedReport once = report(Duration.ofSeconds(Long.MAX_VALUE));
        add(once, 1, 0);
        add(once, 2, 0);
        pass(TimeUnit.DAYS.toNanos(10_000));
        add(once, 3, 0);
        assertThat(counts()).containsExactly(1L);
        end(once);
        assertThat(counts()).containsExactly(1L, 5L);
    }

    @Test
    void shouldLoseNothingWhenTheLoopHasTerminated() {
        add(report, 1, 0);
        simulated.loop().terminate();
        simulated.turn();
        report.add(simulated.loop(), 2, 0); // there is no task to wait for
        assertThat(counts()).containsExactly(1L, 2L);
    }

    @Test
    void shouldGoOnWhenTheConsumerThrowsOrEndsTheSubscription() {
        List<MissedReport> own = new ArrayList<>();
        MissedReport throwing = new MissedReport(Tags.of(7), MissedRule.of(Duration.ofNanos(INTERVAL), event -> {
            told.add(event);
            own.getFirst().ended();
            throw new IllegalStateException("of the user's");
        }));
        own.add(throwing);
        try (Warnings warnings = new Warnings()) {
            add(throwing, 1, 0);
            add(throwing, 2, 0);
            pass(INTERVAL);
            assertThat(warnings.text()).contains("doOnMissed has thrown", "of the user's");
        }
        assertThat(counts()).containsExactly(1L, 2L);
        assertThat(simulated.delayedTasks()).isZero();
    }

    @Test
    void shouldRefuseANegativeInterval() {
        assertThatThrownBy(() -> NetioSubscriber.create(NetioClient.create()).doOnMissed(Duration.ofMillis(-1), told::add))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("PT-0.001S");
    }
}
