// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.loop;

import static io.reactivenetio.loop.LoopTesting.await;
import static io.reactivenetio.loop.LoopTesting.runOnLoop;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TimerTest {
    @ParameterizedTest
    @CsvSource({"1, SECONDS, 2", "20, MILLISECONDS, 5", "500, MICROSECONDS, 50", "90000, NANOSECONDS, 100", "1, NANOSECONDS, 9"})
    void shouldCallBackPeriodicallyNeverEarly(long period, TimeUnit unit, int times) {
        EventLoop loop = EventLoop.create("period");
        AtomicInteger calls = new AtomicInteger();
        Timer timer = loop.openTimer("data", data -> {
            assertThat(data).isEqualTo("data");
            if (calls.incrementAndGet() == times) {
                loop.terminate();
            }
        });
        long started = System.nanoTime();
        timer.start(period, unit);
        loop.run();
        assertThat(System.nanoTime() - started).isGreaterThanOrEqualTo(times * unit.toNanos(period));
        assertThat(calls).hasValue(times);
    }

    @Test
    void shouldCallBackOnceOnly() {
        EventLoop loop = EventLoop.create("once");
        List<String> calls = new ArrayList<>();
        loop.openTimer("once", calls::add).startOnce(1, TimeUnit.MILLISECONDS);
        loop.openTimer("", x -> loop.terminate()).startOnce(60, TimeUnit.MILLISECONDS);
        loop.run();
        assertThat(calls).containsExactly("once");
    }

    @Test
    void shouldDeliverNothingStaleAfterStop() {
        EventLoop loop = EventLoop.create("stop");
        AtomicInteger calls = new AtomicInteger();
        Timer timer = loop.openTimer("", x -> calls.incrementAndGet());
        loop.onInit(() -> loop.execute(() -> {
            timer.start(1, TimeUnit.NANOSECONDS);
            busyFor(1_000_000);
            timer.stop();
            loop.schedule(loop::terminate, 20, TimeUnit.MILLISECONDS);
        }));
        loop.run();
        assertThat(calls).hasValue(0);
    }

    @Test
    void shouldDeliverNothingStaleWhenStoppedByAnotherCallbackOfTheSameBatch() {
        for (int round = 0; round < 50; round++) {
            EventLoop loop = EventLoop.create("same batch");
            AtomicInteger calls = new AtomicInteger();
            Timer[] timers = new Timer[2];
            for (int i = 0; i < 2; i++) {
                timers[i] = loop.openTimer("", x -> {
                    calls.incrementAndGet();
                    timers[0].stop();
                    timers[1].stop();
                    loop.execute(() -> loop.execute(loop::terminate));
                });
            }
            loop.onInit(() -> {
                timers[0].startOnce(1, TimeUnit.NANOSECONDS);
                timers[1].startOnce(1, TimeUnit.NANOSECONDS);
                busyFor(200_000);
            });
            loop.run();
            assertThat(calls).hasValue(1);
        }
    }

    @Test
    void shouldCountFromTheRestart() {
        EventLoop loop = EventLoop.create("restart");
        long[] times = new long[2];
        Timer timer = loop.openTimer("", x -> {
            times[1] = System.nanoTime();
            loop.terminate();
        });
        loop.onInit(() -> loop.execute(() -> {
            timer.start(1, TimeUnit.MICROSECONDS);
            busyFor(1_000_000);
            times[0] = System.nanoTime();
            timer.startOnce(30, TimeUnit.MILLISECONDS);
        }));
        loop.run();
        assertThat(times[1] - times[0]).isGreaterThanOrEqualTo(30_000_000);
    }

    @Test
    void shouldCoalesceMissedPeriods() {
        EventLoop loop = EventLoop.create("missed");
        AtomicInteger calls = new AtomicInteger();
        Timer timer = loop.openTimer("", x -> calls.incrementAndGet());
        loop.onInit(() -> {
            timer.start(10, TimeUnit.MICROSECONDS);
            busyFor(5_000_000);
            loop.execute(() -> loop.execute(() -> {
                timer.stop();
                loop.terminate();
            }));
        });
        loop.run();
        assertThat(calls.get()).isLessThan(50);
    }

    @Test
    void shouldBeStartedAndStoppedFromAnyThread() {
        try (EventLoop loop = EventLoop.create("any thread")) {
            loop.start();
            CountDownLatch calls = new CountDownLatch(3);
            Timer timer = loop.openTimer("", x -> calls.countDown());
            timer.start(1, TimeUnit.MILLISECONDS);
            await(calls);
            timer.stop();
            timer.close();
            timer.close();
            assertThatIllegalStateException().isThrownBy(() -> timer.start(1, TimeUnit.SECONDS));
            runOnLoop(loop, () -> { });
        }
    }

    @Test
    void shouldRefuseTimesThatAreNotPositive() {
        try (EventLoop loop = EventLoop.create("times")) {
            Timer timer = loop.openTimer("", x -> { });
            assertThatIllegalArgumentException().isThrownBy(() -> timer.start(0, TimeUnit.SECONDS));
            assertThatIllegalArgumentException().isThrownBy(() -> timer.start(-1, TimeUnit.SECONDS));
            assertThatIllegalArgumentException().isThrownBy(() -> timer.startOnce(0, TimeUnit.SECONDS));
            timer.start(Long.MAX_VALUE, TimeUnit.DAYS);
        }
    }

    private static void busyFor(long nanos) {
        long start = System.nanoTime();
        while (System.nanoTime() - start < nanos) {
            Thread.onSpinWait();
        }
    }
}
