// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.loop;

import static io.reactivenetio.loop.LoopTesting.await;
import static io.reactivenetio.loop.LoopTesting.awaitUntil;
import static io.reactivenetio.loop.LoopTesting.join;
import static io.reactivenetio.loop.LoopTesting.openFds;
import static io.reactivenetio.loop.LoopTesting.runOnLoop;
import static io.reactivenetio.loop.LoopTesting.startThreads;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SignalTest {
    @Test
    void shouldHandUserDataToTheCallbackOnTheLoop() {
        EventLoop loop = EventLoop.create("user data");
        List<Object> seen = new ArrayList<>();
        Object userData = new Object();
        loop.openSignal(userData, data -> {
            seen.add(data);
            assertThat(loop.inEventLoop()).isTrue();
            loop.terminate();
        }).fire();
        loop.run();
        assertThat(seen).containsExactly(userData);
    }

    @Test
    void shouldCoalesceFires() {
        EventLoop loop = EventLoop.create("coalesce");
        AtomicInteger calls = new AtomicInteger();
        Signal signal = loop.openSignal("", x -> calls.incrementAndGet());
        Signal last = loop.openSemaphoreSignal("", x -> {
            // Two more turns, so that a second callback would have had its chance.
            loop.execute(() -> loop.execute(loop::terminate));
        });
        for (int i = 0; i < 1000; i++) {
            signal.fire();
        }
        last.fire();
        loop.run();
        assertThat(calls).hasValue(1);
    }

    @Test
    void shouldCallASemaphoreSignalExactlyAsOftenAsFired() {
        int each = 50_000;
        AtomicLong calls = new AtomicLong();
        try (EventLoop loop = EventLoop.create("semaphore")) {
            loop.start();
            Signal signal = loop.openSemaphoreSignal(calls, AtomicLong::incrementAndGet);
            join(startThreads(4, () -> {
                for (int i = 0; i < each; i++) {
                    signal.fire();
                }
            }));
            awaitUntil(() -> calls.get() >= 4 * each);
            runOnLoop(loop, () -> { });
            runOnLoop(loop, () -> { });
            assertThat(calls).hasValue(4 * each);
        }
    }

    @Test
    void shouldBoundTheCallbacksOfASemaphoreSignalPerTurn() {
        EventLoop loop = EventLoop.create("bounded");
        AtomicInteger calls = new AtomicInteger();
        int[] callsWhenOtherCame = new int[1];
        Signal busy = loop.openSemaphoreSignal("", x -> calls.incrementAndGet());
        Signal other = loop.openSignal("", x -> {
            callsWhenOtherCame[0] = calls.get();
            loop.terminate();
        });
        for (int i = 0; i < 100_000; i++) {
            busy.fire();
        }
        other.fire();
        loop.run();
        assertThat(callsWhenOtherCame[0]).isLessThanOrEqualTo(2 * Signal.SEMAPHORE_READS_PER_TURN);
    }

    @Test
    void shouldNotStarveOthersWhenRefiredFromItsOwnCallback() {
        for (boolean semaphore : new boolean[] {false, true}) {
            EventLoop loop = EventLoop.create("refire");
            Signal[] self = new Signal[1];
            AtomicInteger others = new AtomicInteger();
            self[0] = semaphore ? loop.openSemaphoreSignal("", x -> self[0].fire()) : loop.openSignal("", x -> self[0].fire());
            Signal[] other = new Signal[1];
            other[0] = loop.openSignal("", x -> {
                if (others.incrementAndGet() == 1000) {
                    loop.terminate();
                }
                other[0].fire();
            });
            self[0].fire();
            other[0].fire();
            loop.run();
            assertThat(others.get()).isGreaterThanOrEqualTo(1000);
        }
    }

    @Test
    void shouldNotCallBackAfterCloseOnTheLoop() {
        EventLoop loop = EventLoop.create("close");
        AtomicInteger calls = new AtomicInteger();
        Signal[] signals = new Signal[2];
        // Both are ready in one batch: whoever comes first closes the other, and itself.
        for (int i = 0; i < 2; i++) {
            signals[i] = loop.openSemaphoreSignal("", x -> {
                calls.incrementAndGet();
                signals[0].close();
                signals[1].close();
                signals[0].fire();
                loop.execute(() -> loop.execute(loop::terminate));
            });
        }
        for (int i = 0; i < 10; i++) {
            signals[0].fire();
            signals[1].fire();
        }
        loop.run();
        assertThat(calls).hasValue(1);
        assertThat(signals[0].isClosed()).isTrue();
    }

    @Test
    void shouldDeliverAFireBeforeTheLoopRuns() {
        EventLoop loop = EventLoop.create("early");
        loop.openSignal("", x -> loop.terminate()).fire();
        loop.run();
        assertThat(loop.isTerminated()).isTrue();
    }

    @Test
    void shouldSurviveFiresThatRaceClose() {
        int before = 0;
        for (int round = 0; round < 500; round++) {
            EventLoop loop = EventLoop.create("race");
            loop.start();
            CountDownLatch fired = new CountDownLatch(2);
            AtomicBoolean over = new AtomicBoolean();
            Signal closing = loop.openSignal("", x -> { });
            Signal left = loop.openSemaphoreSignal("", x -> { });
            Thread[] threads = startThreads(2, () -> {
                while (!over.get()) {
                    closing.fire();
                    left.fire();
                    fired.countDown();
                }
            });
            await(fired);
            closing.close();
            loop.terminate();
            loop.close();
            over.set(true);
            join(threads);
            if (round == 0) {
                before = openFds();
            }
        }
        assertThat(openFds()).isLessThanOrEqualTo(before);
    }

    @Test
    void shouldReleaseTheDescriptorWhenClosedFromAnyThread() {
        try (EventLoop loop = EventLoop.create("release")) {
            loop.start();
            runOnLoop(loop, () -> { });
            int before = openFds();
            for (int i = 0; i < 100; i++) {
                Signal signal = loop.openSignal("", x -> { });
                signal.close();
                signal.close();
            }
            runOnLoop(loop, () -> loop.openSignal("", x -> { }).close());
            assertThat(openFds()).isLessThanOrEqualTo(before);
        }
    }
}
