// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.loop;

import static io.reactivenetio.loop.LoopTesting.await;
import static io.reactivenetio.loop.LoopTesting.awaitUntil;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a loop counts of its own work. */
@Timeout(60)
class LoopStatisticsTest {
    private static final long IDLE_MILLIS = 300;

    @Test
    void shouldCountTheTimeOfTurnsAndWhatWaitsInTheInbox() {
        AtomicLong clock = new AtomicLong(1_000_000);
        SimulatedLoop simulated = new SimulatedLoop(EventLoopConfig.defaults().withName("counted").withMaxTasksPerTurn(2),
                clock::get);
        EventLoop loop = simulated.loop();
        LoopStatistics statistics = loop.statistics();
        assertThat(statistics.name()).isEqualTo("counted");
        simulated.turn(); // which does what the loop has to do by itself
        AtomicLong seen = new AtomicLong();
        simulated.asStranger(() -> {
            for (int i = 0; i < 3; i++) {
                loop.execute(() -> {
                    clock.addAndGet(500);
                    seen.set(loop.turnNanos());
                });
            }
        });
        assertThat(statistics.inboxLength()).isEqualTo(3);
        assertThat(statistics.busyNanos()).isZero();
        clock.addAndGet(10_000); // asleep, so to say
        simulated.turn();
        assertThat(statistics.inboxLength()).isEqualTo(1);
        assertThat(statistics.busyNanos()).isEqualTo(1_000);
        assertThat(seen).hasValue(1_010_000);
        simulated.turn();
        assertThat(statistics.busyNanos()).isEqualTo(1_500);
        loop.terminate();
        simulated.turn();
        assertThat(statistics.inboxLength()).isZero();
        assertThat(statistics.toString()).contains("busyNanos=1500", "inboxLength=0");
    }

    @Test
    void shouldNotCountTheTimeAsleep() throws InterruptedException {
        try (EventLoop loop = EventLoop.create("idle")) {
            loop.start();
            LoopStatistics statistics = loop.statistics();
            CountDownLatch held = new CountDownLatch(1);
            CountDownLatch begun = new CountDownLatch(1);
            loop.execute(() -> {
                begun.countDown();
                await(held);
            });
            await(begun);
            loop.execute(() -> { });
            loop.execute(() -> { });
            assertThat(statistics.inboxLength()).isEqualTo(2);
            Thread.sleep(10); // the loop is busy meanwhile
            held.countDown();
            awaitUntil(() -> statistics.busyNanos() >= Duration.ofMillis(10).toNanos());
            awaitUntil(() -> statistics.inboxLength() == 0); // the tasks are for the next turn
            awaitUntil(() -> isIdle(statistics));
        }
    }

    /** Whether next to nothing was counted for a while. It is more if the loop's thread has lost its CPU within a turn. */
    private static boolean isIdle(LoopStatistics statistics) {
        long before = statistics.busyNanos();
        try {
            Thread.sleep(IDLE_MILLIS); // the loop has nothing to do meanwhile
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        return statistics.busyNanos() - before < Duration.ofMillis(IDLE_MILLIS / 2).toNanos();
    }

    /** Nor the time in which it has looked for work in vain: that has a count of its own. */
    @Test
    void shouldNotCountTheTimeInWhichItSpins() throws InterruptedException {
        try (EventLoop loop = EventLoop.create(EventLoopConfig.defaults().withSpinNanos(Duration.ofHours(1).toNanos()))) {
            loop.start();
            LoopStatistics statistics = loop.statistics();
            CountDownLatch ran = new CountDownLatch(1);
            loop.execute(ran::countDown);
            await(ran);
            long spun = statistics.spunNanos();
            awaitUntil(() -> isIdle(statistics));
            awaitUntil(() -> statistics.spunNanos() > spun);
        }
    }
}
