// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.loop;

import static io.reactivenetio.loop.LoopTesting.BOUND;
import static io.reactivenetio.loop.LoopTesting.await;
import static io.reactivenetio.loop.LoopTesting.awaitEnd;
import static io.reactivenetio.loop.LoopTesting.join;
import static io.reactivenetio.loop.LoopTesting.runOnLoop;
import static io.reactivenetio.loop.LoopTesting.startThreads;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class EventLoopTasksTest {
    private static final int BACKLOG = 10_000;

    @Test
    void shouldRunTasksOfEachProducerInOrder() {
        int producers = 8;
        int each = 20_000;
        int[] next = new int[producers];
        AtomicInteger disorder = new AtomicInteger();
        CountDownLatch all = new CountDownLatch(producers * each);
        try (EventLoop loop = EventLoop.create("fifo")) {
            loop.start();
            AtomicInteger ids = new AtomicInteger();
            join(startThreads(producers, () -> {
                int id = ids.getAndIncrement();
                for (int i = 0; i < each; i++) {
                    int expected = i;
                    loop.execute(() -> {
                        if (next[id]++ != expected) {
                            disorder.incrementAndGet();
                        }
                        all.countDown();
                    });
                }
            }));
            await(all);
            assertThat(disorder).hasValue(0);
        }
    }

    @Test
    void shouldLeaveLongTasksToFurtherTurns() {
        AtomicLong clock = new AtomicLong(-700);
        SimulatedLoop simulated = new SimulatedLoop(EventLoopConfig.defaults(), clock::get);
        simulated.turn();
        AtomicInteger ran = new AtomicInteger();
        simulated.asStranger(() -> {
            for (int i = 0; i < 100; i++) {
                simulated.loop().execute(() -> clock.addAndGet(ran.incrementAndGet() <= 10 ? 600_000 : 1_000));
            }
        });
        List<Integer> turns = new ArrayList<>();
        while (ran.get() < 100) {
            simulated.turn();
            turns.add(ran.get());
        }
        assertThat(turns).containsExactly(3, 6, 9, 100);
        simulated.loop().close();
        simulated.turn();
    }

    @Test
    void shouldRunExactlyTheAcceptedTasksWhenTerminatedConcurrently() {
        for (int round = 0; round < 100; round++) {
            // More threads than processors: turns are slow, and there is no point in logging it 100 times.
            EventLoop loop = EventLoop.create(EventLoopConfig.defaults().withSlowTurnNanos(BOUND.toNanos()));
            loop.start();
            AtomicLong accepted = new AtomicLong();
            AtomicLong ran = new AtomicLong();
            CountDownLatch firstTasks = new CountDownLatch(64);
            Thread[] threads = startThreads(8, () -> {
                try {
                    while (true) {
                        loop.execute(() -> {
                            ran.incrementAndGet();
                            firstTasks.countDown();
                        });
                        accepted.incrementAndGet();
                        while (accepted.get() - ran.get() > BACKLOG && !loop.isTerminated()) {
                            Thread.yield(); // eight can add faster than one takes away
                        }
                    }
                } catch (RejectedExecutionException e) {
                    // The end of the round.
                }
            });
            await(firstTasks);
            loop.terminate();
            join(threads);
            awaitEnd(loop);
            assertThat(ran.get()).isEqualTo(accepted.get());
        }
    }

    @Test
    void shouldNeverRunATaskInline() {
        EventLoop loop = EventLoop.create("inline");
        List<String> order = new ArrayList<>();
        loop.execute(() -> {
            loop.execute(() -> {
                order.add("inner");
                loop.terminate();
            });
            order.add("outer");
        });
        loop.run();
        assertThat(order).containsExactly("outer", "inner");
    }

    @Test
    void shouldWriteNoWakeUpForTasksOfTheLoopItself() {
        EventLoop loop = EventLoop.create("self");
        long[] wakeUps = new long[2];
        loop.execute(() -> wakeUps[0] = loop.statistics().wakeUpsWritten());
        loop.execute(new Runnable() {
            private int runs;

            @Override
            public void run() {
                if (++runs == 1000) {
                    wakeUps[1] = loop.statistics().wakeUpsWritten();
                    loop.terminate();
                } else {
                    loop.execute(this);
                }
            }
        });
        loop.run();
        assertThat(wakeUps[1]).isEqualTo(wakeUps[0]);
    }

    @Test
    void shouldWriteOneWakeUpForABatch() {
        int tasks = 10_000;
        CountDownLatch ran = new CountDownLatch(tasks);
        try (EventLoop loop = EventLoop.create("batch")) {
            loop.start();
            CountDownLatch blocked = new CountDownLatch(1);
            CountDownLatch release = new CountDownLatch(1);
            loop.execute(() -> {
                blocked.countDown();
                await(release);
            });
            await(blocked);
            long before = loop.statistics().wakeUpsWritten();
            for (int i = 0; i < tasks; i++) {
                loop.execute(ran::countDown);
            }
            release.countDown();
            await(ran);
            assertThat(loop.statistics().wakeUpsWritten()).isEqualTo(before);
            assertThat(loop.statistics().tasksRun()).isGreaterThanOrEqualTo(tasks);
        }
    }

    @Test
    void shouldWriteFarFewerWakeUpsThanTasks() {
        int each = 50_000;
        CountDownLatch ran = new CountDownLatch(4 * each);
        try (EventLoop loop = EventLoop.create("wake-ups")) {
            loop.start();
            join(startThreads(4, () -> {
                for (int i = 0; i < each; i++) {
                    loop.execute(ran::countDown);
                }
            }));
            await(ran);
            assertThat(loop.statistics().wakeUpsWritten()).isLessThan(4 * each / 4);
        }
    }

    @Test
    void shouldWakeForEachSingleTask() {
        try (EventLoop loop = EventLoop.create("single")) {
            loop.start();
            for (int i = 0; i < 2_000; i++) {
                runOnLoop(loop, () -> { });
            }
        }
    }

    @Test
    void shouldNotLetTasksStarveFileDescriptors() {
        EventLoop loop = EventLoop.create("fair");
        loop.openSignal("", x -> loop.terminate()).fire();
        loop.execute(new Runnable() {
            @Override
            public void run() {
                if (!loop.isTerminated()) {
                    try {
                        loop.execute(this);
                    } catch (RejectedExecutionException e) {
                        // The signal has ended it.
                    }
                }
            }
        });
        loop.run();
        assertThat(loop.isTerminated()).isTrue();
    }

    @Test
    void shouldRunEndOfTurnTasksAfterTasksAndPollersInOrder() {
        EventLoop loop = EventLoop.create("end of turn");
        List<String> order = new ArrayList<>();
        loop.addPoller(new LoopPoller() {
            @Override
            public int poll() {
                order.add("poll");
                return 0;
            }

            @Override
            public boolean mayWait() {
                order.add("mayWait");
                return true;
            }
        });
        loop.execute(() -> { // one task: what follows a long one is left to the next turn
            loop.atEndOfTurn(() -> {
                order.add("end 1");
                loop.atEndOfTurn(() -> {
                    order.add("end 3");
                    loop.terminate();
                });
            });
            loop.atEndOfTurn(() -> order.add("end 2"));
            order.add("task");
        });
        loop.run();
        assertThat(order).startsWith("task", "poll", "end 1", "end 2", "end 3");
    }

    @Test
    void shouldRunMoreEndOfTurnTasksThanTheRingHolds() {
        EventLoop loop = EventLoop.create("ring");
        List<Integer> order = new ArrayList<>();
        loop.execute(() -> {
            for (int i = 0; i < 50; i++) {
                loop.atEndOfTurn(() -> { });
            }
        });
        loop.execute(() -> loop.execute(() -> {
            for (int i = 0; i < 1000; i++) {
                int number = i;
                loop.atEndOfTurn(() -> order.add(number));
            }
            loop.atEndOfTurn(loop::terminate);
        }));
        loop.run();
        assertThat(order).hasSize(1000).isSorted();
    }

    @Test
    void shouldGoOnWithoutSleepWhenEndOfTurnTasksAddOthersForEver() {
        EventLoop loop = EventLoop.create("endless");
        AtomicInteger runs = new AtomicInteger();
        Signal signal = loop.openSignal("", x -> loop.terminate());
        Runnable endless = new Runnable() {
            @Override
            public void run() {
                if (runs.incrementAndGet() == 10_000) {
                    signal.fire();
                }
                loop.atEndOfTurn(this);
            }
        };
        loop.onError(failure -> assertThat(failure).hasMessageContaining("kept adding"));
        loop.onInit(() -> loop.atEndOfTurn(endless));
        loop.run();
        assertThat(runs.get()).isGreaterThanOrEqualTo(10_000);
        assertThat(loop.statistics().userExceptions()).isEqualTo(2);
    }

    @Test
    void shouldRefuseEndOfTurnTasksFromOtherThreads() {
        try (EventLoop loop = EventLoop.create("confined")) {
            assertThatIllegalStateException().isThrownBy(() -> loop.atEndOfTurn(() -> { }));
            loop.start();
            assertThatIllegalStateException().isThrownBy(() -> loop.atEndOfTurn(() -> { }));
        }
    }
}
