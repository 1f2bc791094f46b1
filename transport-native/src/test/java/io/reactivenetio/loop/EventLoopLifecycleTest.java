// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.loop;

import static io.reactivenetio.loop.LoopTesting.await;
import static io.reactivenetio.loop.LoopTesting.awaitEnd;
import static io.reactivenetio.loop.LoopTesting.join;
import static io.reactivenetio.loop.LoopTesting.openFds;
import static io.reactivenetio.loop.LoopTesting.runOnLoop;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class EventLoopLifecycleTest {
    @Test
    void shouldRunInitBeforeAnythingElse() {
        EventLoop loop = EventLoop.create("init");
        List<String> order = new ArrayList<>();
        Consumer<String> note = what -> {
            order.add(what);
            if (order.size() == 5) {
                loop.terminate();
            }
        };
        Signal signal = loop.openSignal("signal", note);
        signal.fire();
        loop.schedule(() -> note.accept("delayed"), 0, TimeUnit.NANOSECONDS);
        loop.execute(() -> note.accept("task"));
        loop.onInit(() -> note.accept("init 1"));
        loop.onInit(() -> note.accept("init 2"));
        loop.schedule(loop::terminate, 20, TimeUnit.SECONDS); // if one of them never comes
        loop.run();
        assertThat(order).startsWith("init 1", "init 2").containsExactlyInAnyOrder(
                "init 1", "init 2", "signal", "delayed", "task");
    }

    @Test
    void shouldRefuseInitOnceStarted() {
        try (EventLoop loop = EventLoop.create("late init")) {
            loop.start();
            assertThatIllegalStateException().isThrownBy(() -> loop.onInit(() -> { }));
        }
    }

    @Test
    void shouldRunOnTheCallersThreadUntilTerminatedFromACallback() {
        EventLoop loop = EventLoop.create("caller");
        Thread[] ran = new Thread[1];
        loop.execute(() -> {
            ran[0] = Thread.currentThread();
            assertThat(loop.inEventLoop()).isTrue();
            assertThat(EventLoop.isLoopThread(ran[0])).isTrue();
            loop.terminate();
            loop.terminate();
        });
        loop.run();
        assertThat(ran[0]).isSameAs(Thread.currentThread());
        assertThat(loop.isTerminated()).isTrue();
        assertThat(loop.inEventLoop()).isFalse();
        assertThat(EventLoop.isLoopThread(ran[0])).isFalse();
    }

    /** Each waits in a callback for the next one to close. */
    @ParameterizedTest
    @ValueSource(ints = {2, 3, 7})
    void shouldCloseLoopsThatCloseEachOther(int number) throws Exception {
        List<EventLoop> loops = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < number; i++) {
            loops.add(EventLoop.create("ring " + i));
        }
        CountDownLatch all = new CountDownLatch(number);
        for (int i = 0; i < number; i++) {
            EventLoop next = loops.get((i + 1) % number);
            loops.get(i).execute(() -> {
                all.countDown();
                await(all);
                next.close();
            });
            threads.add(loops.get(i).start());
        }
        join(threads.toArray(Thread[]::new));
        assertThat(loops).allMatch(EventLoop::isTerminated);
    }

    @Test
    void shouldTerminateFromInit() {
        EventLoop loop = EventLoop.create("init ends");
        loop.onInit(loop::terminate);
        loop.run();
        assertThat(loop.isTerminated()).isTrue();
    }

    @Test
    void shouldTerminateASleepingLoopFromAnotherThread() {
        EventLoop loop = EventLoop.create("own");
        Thread thread = loop.start();
        assertThat(thread.isDaemon()).isTrue();
        assertThat(thread.getName()).isEqualTo("own");
        runOnLoop(loop, () -> assertThat(Thread.currentThread()).isSameAs(thread));
        loop.terminate();
        awaitEnd(loop);
        join(thread);
    }

    @Test
    void shouldBelongToOneThreadOnly() {
        try (EventLoop loop = EventLoop.create("owned")) {
            loop.start();
            assertThatIllegalStateException().isThrownBy(loop::start);
            assertThatIllegalStateException().isThrownBy(loop::run);
            assertThatIllegalStateException().isThrownBy(loop::poll);
            runOnLoop(loop, () -> assertThatIllegalStateException().isThrownBy(loop::poll));
        }
    }

    @Test
    void shouldCloseALoopThatNeverRanOnTheSpot() {
        EventLoop loop = EventLoop.create("never");
        List<String> order = new ArrayList<>();
        loop.onInit(() -> order.add("init"));
        loop.onClose(() -> order.add("hook"));
        loop.execute(() -> order.add("task"));
        loop.close();
        loop.close();
        assertThat(loop.isTerminated()).isTrue();
        assertThat(order).containsExactly("task", "hook");
        assertThatIllegalStateException().isThrownBy(loop::start);
        assertThat(loop.poll()).isFalse();
    }

    @Test
    void shouldOnlyTerminateWhenClosedOnTheLoop() {
        EventLoop loop = EventLoop.create("self");
        CountDownLatch returned = new CountDownLatch(1);
        loop.execute(() -> {
            loop.close();
            returned.countDown();
            assertThat(loop.isTerminated()).isFalse();
        });
        loop.start();
        await(returned);
        awaitEnd(loop);
    }

    @Test
    void shouldKeepTheInterruptOfAThreadThatWaitsInClose() {
        EventLoop loop = EventLoop.create("interrupted close");
        loop.start();
        Thread.currentThread().interrupt();
        loop.close();
        assertThat(Thread.interrupted()).isTrue();
        assertThat(loop.isTerminated()).isTrue();
    }

    @Test
    void shouldSurviveInterruptsOfItsThread() {
        try (EventLoop loop = EventLoop.create("interrupts")) {
            Thread thread = loop.start();
            for (int i = 0; i < 100; i++) {
                thread.interrupt();
                runOnLoop(loop, () -> assertThat(loop.inEventLoop()).isTrue());
            }
        }
    }

    @Test
    void shouldRunCloseHooksInReverseOrderOnTheLoopAfterAllTasks() {
        EventLoop loop = EventLoop.create("hooks");
        List<String> order = new ArrayList<>();
        loop.onClose(() -> order.add("first"));
        loop.onClose(() -> {
            order.add("second in loop: " + loop.inEventLoop());
            loop.onClose(() -> order.add("added by second"));
            loop.atEndOfTurn(() -> order.add("end of turn"));
            assertThatThrownBy(() -> loop.execute(() -> { })).isInstanceOf(RejectedExecutionException.class);
        });
        loop.execute(loop::terminate);
        loop.execute(() -> order.add("task"));
        loop.run();
        assertThat(order).containsExactly("task", "second in loop: true", "added by second", "first", "end of turn");
        assertThatIllegalStateException().isThrownBy(() -> loop.onClose(() -> { }));
    }

    @Test
    void shouldRefuseEverythingOnceTerminated() {
        EventLoop loop = EventLoop.create("over");
        Timer timer = loop.openTimer("", x -> { });
        Signal signal = loop.openSignal("", x -> { });
        loop.close();
        assertThatThrownBy(() -> loop.execute(() -> { })).isInstanceOf(RejectedExecutionException.class);
        assertThatThrownBy(() -> loop.schedule(() -> { }, 1, TimeUnit.DAYS)).isInstanceOf(RejectedExecutionException.class);
        int fds = openFds();
        assertThatThrownBy(() -> loop.openSignal("", x -> { })).isInstanceOf(RejectedExecutionException.class);
        assertThatThrownBy(() -> loop.openTimer("", x -> { })).isInstanceOf(RejectedExecutionException.class);
        assertThat(openFds()).isLessThanOrEqualTo(fds);
        assertThatIllegalStateException().isThrownBy(() -> loop.register(0, FdRegistration.READABLE, e -> { }));
        assertThatIllegalStateException().isThrownBy(() -> timer.start(1, TimeUnit.SECONDS));
        timer.stop();
        timer.close();
        signal.fire();
        signal.close();
        assertThat(signal.isClosed()).isTrue();
    }

    @Test
    void shouldWaitForTerminationNoLongerThanTold() throws InterruptedException {
        try (EventLoop loop = EventLoop.create("wait")) {
            loop.start();
            assertThat(loop.awaitTermination(Duration.ofMillis(1))).isFalse();
        }
    }

    @Test
    void shouldLeaveNoFileDescriptorBehind() {
        cycle(0);
        int before = openFds();
        for (int i = 0; i < 500; i++) {
            cycle(i);
        }
        assertThat(openFds()).isLessThanOrEqualTo(before);
    }

    private static void cycle(int i) {
        EventLoop loop = EventLoop.create("cycle");
        Signal closed = loop.openSignal("", x -> { });
        loop.openSemaphoreSignal("", x -> { }).fire();
        loop.openTimer("", x -> { }).start(1, TimeUnit.MICROSECONDS);
        if (i % 2 == 0) {
            loop.start();
        }
        closed.close();
        loop.openSignal("", x -> { });
        loop.close();
    }

    @Test
    void shouldCountSlowTurns() {
        EventLoop loop = EventLoop.create(EventLoopConfig.defaults().withName("slow").withSlowTurnNanos(1_000));
        AtomicInteger turns = new AtomicInteger();
        loop.execute(() -> {
            long end = System.nanoTime() + 50_000;
            while (System.nanoTime() < end) {
                turns.getPlain();
            }
            loop.terminate();
        });
        loop.run();
        assertThat(loop.statistics().slowTurns()).isPositive();
        assertThat(loop.statistics().turns()).isPositive();
        assertThat(loop.statistics().toString()).contains("slowTurns=");
    }

    @Test
    void shouldRefuseSenselessLimits() {
        EventLoopConfig config = EventLoopConfig.defaults();
        assertThatIllegalArgumentException().isThrownBy(() -> config.withMaxEventsPerTurn(0));
        assertThatIllegalArgumentException().isThrownBy(() -> config.withMaxTasksPerTurn(0));
        assertThatIllegalArgumentException().isThrownBy(() -> config.withSpinNanos(-1));
        assertThatIllegalArgumentException().isThrownBy(() -> config.withAdaptiveSpinNanos(-1));
        assertThatIllegalArgumentException().isThrownBy(() -> config.withSlowTurnNanos(0));
    }

    @Test
    void shouldNotRunACloseHookThatWasRemoved() {
        EventLoop loop = EventLoop.create("hooks");
        List<String> run = new ArrayList<>();
        Runnable gone = () -> run.add("gone");
        loop.onClose(gone);
        loop.onClose(() -> run.add("stays"));
        loop.onClose(() -> loop.removeOnClose(gone)); // run first, as the last added
        loop.removeOnClose(() -> { });
        loop.close();
        loop.removeOnClose(gone);
        assertThat(run).containsExactly("stays");
    }
}
