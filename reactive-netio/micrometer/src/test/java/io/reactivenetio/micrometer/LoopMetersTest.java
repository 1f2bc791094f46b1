// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.reactivenetio.NetioLoops;
import io.reactivenetio.testing.Eventually;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.scheduler.Scheduler;

/** What the meters show of loops. */
@Timeout(180)
class LoopMetersTest {
    private static final int TASKS = 1_000;

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private @Nullable NetioLoops loops = NetioLoops.create("metered", 2);

    @AfterEach
    void stop() {
        if (loops != null) {
            loops.dispose();
        }
    }

    private double counter(String name, String loop) {
        return registry.get(name).tag("loop", loop).functionCounter().count();
    }

    private double inbox(String loop) {
        return registry.get("netio.loop.inbox").tag("loop", loop).gauge().value();
    }

    /** A slow turn. */
    private static void block(CountDownLatch held) {
        try {
            assertThat(held.await(1, TimeUnit.MINUTES)).isTrue();
            Thread.sleep(150); // the turn is slow
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void shouldShowWhatEachLoopDoes() throws InterruptedException {
        NetioMeters.of(loops, List.of(Tag.of("application", "test"))).bindTo(registry);
        Scheduler first = loops.scheduler();
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch held = new CountDownLatch(1);
        double tasks = counter("netio.loop.tasks", "metered-1");
        first.schedule(() -> {
            begun.countDown();
            block(held);
        });
        assertThat(begun.await(1, TimeUnit.MINUTES)).isTrue();
        for (int i = 0; i < TASKS; i++) {
            first.schedule(() -> { });
        }
        assertThat(inbox("metered-1")).isPositive();
        held.countDown();
        Eventually.await(() -> inbox("metered-1") == 0 && counter("netio.loop.slow.turns", "metered-1") >= 1
                && counter("netio.loop.busy", "metered-1") >= 0.15, () -> loops.statistics().toString());
        assertThat(counter("netio.loop.tasks", "metered-1") - tasks).isPositive();
        assertThat(counter("netio.loop.turns", "metered-1")).isPositive();
        Eventually.await(() -> { // a loop that has only just begun is awake, and nobody has to wake it
            first.schedule(() -> { });
            return counter("netio.loop.wakeups", "metered-1") > 0;
        }, () -> loops.statistics().toString());
        assertThat(counter("netio.loop.spun", "metered-1")).isZero();
        assertThat(counter("netio.loop.busy", "metered-2")).isLessThan(counter("netio.loop.busy", "metered-1"));
        assertThat(registry.get("netio.loop.busy").functionCounters()).hasSize(2)
                .allMatch(counter -> "test".equals(counter.getId().getTag("application")));
    }

    /** Disposed of, loops keep their counts; gone, they are let go of. */
    @Test
    void shouldShowLoopsThatHaveEnded() {
        NetioMeters.of(loops, List.of()).bindTo(registry);
        Eventually.await(() -> counter("netio.loop.turns", "metered-2") > 0, () -> "a first turn");
        loops.dispose();
        double turns = counter("netio.loop.turns", "metered-2");
        assertThat(turns).isPositive();
        assertThat(inbox("metered-2")).isZero();
        loops = null;
        Eventually.await(() -> {
            System.gc();
            return Double.isNaN(inbox("metered-2"));
        }, () -> registry.getMetersAsString());
        assertThat(registry.get("netio.loop.turns").tag("loop", "metered-2").functionCounter().count()).isEqualTo(turns);
    }
}
