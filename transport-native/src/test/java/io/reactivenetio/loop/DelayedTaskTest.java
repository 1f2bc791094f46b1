// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.loop;

import static io.reactivenetio.loop.LoopTesting.await;
import static io.reactivenetio.loop.LoopTesting.awaitUntil;
import static io.reactivenetio.loop.LoopTesting.openFds;
import static io.reactivenetio.loop.LoopTesting.runOnLoop;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DelayedTaskTest {
    @Test
    void shouldRunByDeadline() {
        EventLoop loop = EventLoop.create("deadline");
        List<Integer> order = new ArrayList<>();
        loop.schedule(() -> order.add(3), 2_000, TimeUnit.MILLISECONDS);
        loop.schedule(() -> order.add(1), 500, TimeUnit.MILLISECONDS);
        loop.schedule(() -> order.add(2), 1_000, TimeUnit.MILLISECONDS);
        loop.schedule(loop::terminate, 3_000, TimeUnit.MILLISECONDS);
        loop.schedule(() -> order.add(9), Long.MAX_VALUE, TimeUnit.DAYS);
        loop.schedule(() -> order.add(0), -5, TimeUnit.DAYS);
        long started = System.nanoTime();
        loop.run();
        assertThat(order).containsExactly(0, 1, 2, 3);
        assertThat(System.nanoTime() - started).isLessThan(LoopTesting.BOUND.toNanos());
    }

    @Test
    void shouldRunEqualDelaysInOrderAndNeverInline() {
        EventLoop loop = EventLoop.create("ties");
        List<Integer> order = new ArrayList<>();
        loop.onInit(() -> {
            for (int i = 0; i < 1000; i++) {
                int number = i;
                loop.schedule(() -> order.add(number), 0, TimeUnit.NANOSECONDS);
            }
            loop.schedule(loop::terminate, 0, TimeUnit.NANOSECONDS);
            assertThat(order).isEmpty();
        });
        loop.run();
        assertThat(order).hasSize(1000).isSorted();
    }

    @Test
    void shouldRepeatADelayAndRunItOnceForEachTimeItIsArmed() {
        EventLoop loop = EventLoop.create("repeated");
        List<String> order = new ArrayList<>();
        RepeatedDelay again = loop.repeatedDelay(() -> order.add("again"));
        RepeatedDelay moved = loop.repeatedDelay(() -> {
            order.add("moved");
            loop.terminate();
        });
        RepeatedDelay cancelled = loop.repeatedDelay(() -> order.add("cancelled"));
        loop.onInit(() -> {
            assertThat(again.isArmed()).isFalse();
            assertThat(again.arm(1, TimeUnit.MILLISECONDS)).isTrue();
            assertThat(moved.arm(1, TimeUnit.DAYS)).isTrue();
            assertThat(moved.arm(1, TimeUnit.HOURS)).isTrue();
            assertThat(cancelled.arm(5, TimeUnit.MILLISECONDS)).isTrue();
            assertThat(cancelled.isArmed()).isTrue();
            cancelled.cancel();
            cancelled.cancel();
            assertThat(cancelled.isArmed()).isFalse();
            loop.schedule(() -> {
                order.add("10 ms");
                assertThat(again.isArmed()).isFalse();
                again.arm(0, TimeUnit.MILLISECONDS);
                assertThat(again.isArmed()).isTrue();
                moved.arm(10, TimeUnit.MILLISECONDS);
            }, 10, TimeUnit.MILLISECONDS);
        });
        loop.onClose(() -> assertThat(again.arm(0, TimeUnit.MILLISECONDS)).isFalse());
        loop.run();
        assertThat(order).containsExactly("again", "10 ms", "again", "moved");
    }

    @Test
    void shouldServeAThousandDelaysWithOneTimer() {
        try (EventLoop loop = EventLoop.create("thousand")) {
            loop.start();
            runOnLoop(loop, () -> { });
            int before = openFds();
            CountDownLatch ran = new CountDownLatch(1000);
            for (int i = 0; i < 1000; i++) {
                loop.schedule(ran::countDown, 20_000 + i * 37 % 1000 * 10, TimeUnit.MICROSECONDS);
            }
            assertThat(openFds()).isLessThanOrEqualTo(before);
            await(ran);
        }
    }

    @Test
    void shouldServeAnEarlierDelayThatComesLater() {
        try (EventLoop loop = EventLoop.create("earlier")) {
            loop.start();
            loop.schedule(() -> { }, 1, TimeUnit.DAYS);
            CountDownLatch ran = new CountDownLatch(1);
            loop.schedule(ran::countDown, 5, TimeUnit.MILLISECONDS);
            await(ran);
        }
    }

    @Test
    void shouldNotRunACancelledTask() {
        EventLoop loop = EventLoop.create("cancel");
        AtomicInteger runs = new AtomicInteger();
        DelayedTask early = loop.schedule(runs::incrementAndGet, 1, TimeUnit.MILLISECONDS);
        assertThat(early.cancel()).isTrue();
        assertThat(early.cancel()).isFalse();
        loop.onInit(() -> {
            DelayedTask second = loop.schedule(runs::incrementAndGet, 1, TimeUnit.MILLISECONDS);
            assertThat(second.cancel()).isTrue();
            DelayedTask[] self = new DelayedTask[1];
            self[0] = loop.schedule(() -> assertThat(self[0].cancel()).isFalse(), 1, TimeUnit.MILLISECONDS);
        });
        loop.schedule(loop::terminate, 20, TimeUnit.MILLISECONDS);
        loop.run();
        assertThat(runs).hasValue(0);
        assertThat(loop.statistics().userExceptions()).isZero();
    }

    @Test
    void shouldCancelOneOfTwoDueInTheSameTurn() {
        EventLoop loop = EventLoop.create("same turn");
        AtomicInteger runs = new AtomicInteger();
        DelayedTask[] tasks = new DelayedTask[2];
        loop.onInit(() -> {
            tasks[0] = loop.schedule(() -> {
                runs.incrementAndGet();
                assertThat(tasks[1].cancel()).isTrue();
                loop.schedule(loop::terminate, 1, TimeUnit.MILLISECONDS);
            }, 0, TimeUnit.NANOSECONDS);
            tasks[1] = loop.schedule(runs::incrementAndGet, 0, TimeUnit.NANOSECONDS);
        });
        loop.run();
        assertThat(runs).hasValue(1);
    }

    @Test
    void shouldNotRetainACancelledTask() {
        try (EventLoop loop = EventLoop.create("retain")) {
            loop.start();
            WeakReference<Object> captured = scheduleAndCancel(loop);
            awaitUntil(() -> {
                System.gc();
                return captured.get() == null;
            });
        }
    }

    private static WeakReference<Object> scheduleAndCancel(EventLoop loop) {
        Object captured = new Object();
        DelayedTask task = loop.schedule(captured::hashCode, 1, TimeUnit.DAYS);
        runOnLoop(loop, () -> { });
        task.cancel();
        return new WeakReference<>(captured);
    }

    @Test
    void shouldDropWhatIsNotDueWhenTerminated() {
        EventLoop loop = EventLoop.create("drop");
        AtomicInteger runs = new AtomicInteger();
        DelayedTask task = loop.schedule(runs::incrementAndGet, 1, TimeUnit.DAYS);
        loop.execute(loop::terminate);
        loop.run();
        assertThat(runs).hasValue(0);
        assertThat(task.cancel()).isFalse();
    }
}
