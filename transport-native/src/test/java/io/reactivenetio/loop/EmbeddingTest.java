// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.loop;

import static io.reactivenetio.loop.LoopTesting.await;
import static io.reactivenetio.loop.LoopTesting.awaitEnd;
import static io.reactivenetio.loop.LoopTesting.join;
import static io.reactivenetio.loop.LoopTesting.startThreads;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.reactivenetio.ffm.EpollEvents;
import io.reactivenetio.ffm.LibC;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class EmbeddingTest {
    private static final int GIVE_UP_MILLIS = 10_000;

    /** Somebody else's loop, which knows of ours nothing but its descriptor and poll(). */
    private static final class ForeignLoop implements AutoCloseable {
        final AtomicInteger sleeps = new AtomicInteger();
        private final EventLoop guest;
        private final int epoll = LibC.epollCreate1(LibC.EPOLL_CLOEXEC);
        private final EpollEvents events = new EpollEvents(Arena.ofAuto(), 4);

        ForeignLoop(EventLoop guest) {
            this.guest = guest;
            events.set(0, EpollEvents.EPOLLIN, 0);
            assertThat(LibC.epollCtl(epoll, LibC.EPOLL_CTL_ADD, guest.epollFd(), events.segment())).isZero();
        }

        void run() {
            while (!guest.isTerminated()) {
                if (guest.poll()) {
                    sleep();
                }
            }
        }

        void sleep() {
            sleeps.incrementAndGet();
            assertThat(LibC.epollWait(epoll, events.segment(), 4, GIVE_UP_MILLIS)).as("woken in time").isEqualTo(1);
        }

        @Override
        public void close() {
            LibC.close(epoll);
        }
    }

    @Test
    void shouldCloseALoopWhoseEmbedderHasEnded() throws Exception {
        EventLoop loop = EventLoop.create("orphan");
        List<String> ran = new ArrayList<>();
        loop.onClose(() -> ran.add("hook on " + Thread.currentThread().getName() + " " + loop.inEventLoop()));
        Thread embedder = Thread.ofPlatform().start(loop::poll);
        embedder.join();
        assertThat(loop.hasThread()).isFalse();
        loop.execute(() -> ran.add("task"));
        loop.close();
        assertThat(ran).containsExactly("task", "hook on " + Thread.currentThread().getName() + " true");
        assertThat(loop.isTerminated()).isTrue();
        assertThat(EventLoop.isLoopThread(embedder)).isFalse();
        assertThat(EventLoop.isLoopThread(Thread.currentThread())).isFalse();
    }

    @Test
    void shouldDeliverEverythingInAForeignLoop() {
        EventLoop loop = EventLoop.create("guest");
        List<String> order = new ArrayList<>();
        loop.onInit(() -> order.add("init"));
        CountDownLatch signals = new CountDownLatch(1000);
        CountDownLatch ticks = new CountDownLatch(20);
        CountDownLatch tasks = new CountDownLatch(2000);
        CountDownLatch delayed = new CountDownLatch(1);
        Signal signal = loop.openSemaphoreSignal("", x -> signals.countDown());
        loop.openTimer("", x -> ticks.countDown()).start(1, TimeUnit.MILLISECONDS);
        Thread host = Thread.ofPlatform().daemon().start(() -> {
            try (ForeignLoop foreign = new ForeignLoop(loop)) {
                foreign.run();
                order.add(foreign.sleeps.get() > 0 ? "slept" : "span");
            }
        });
        loop.schedule(delayed::countDown, 3, TimeUnit.MILLISECONDS);
        join(startThreads(2, () -> {
            for (int i = 0; i < 500; i++) {
                signal.fire();
                loop.execute(tasks::countDown);
                CountDownLatch single = new CountDownLatch(1);
                loop.execute(single::countDown);
                loop.execute(tasks::countDown);
                await(single);
            }
        }));
        await(signals);
        await(ticks);
        await(tasks);
        await(delayed);
        loop.close();
        awaitEnd(loop);
        join(host);
        assertThat(order).containsExactly("init", "slept");
    }

    @Test
    void shouldAdoptTheFirstThreadThatPolls() {
        EventLoop loop = EventLoop.create("adopt");
        loop.poll();
        assertThat(loop.inEventLoop()).isTrue();
        assertThat(EventLoop.isLoopThread(Thread.currentThread())).isTrue();
        List<Throwable> elsewhere = new ArrayList<>();
        join(startThreads(1, () -> {
            try {
                loop.poll();
            } catch (IllegalStateException e) {
                elsewhere.add(e);
            }
        }));
        assertThat(elsewhere).hasSize(1);
        assertThatIllegalStateException().isThrownBy(loop::run);
        assertThatIllegalStateException().isThrownBy(loop::start);
        loop.close();
        assertThat(loop.isTerminated()).isTrue();
        assertThat(EventLoop.isLoopThread(Thread.currentThread())).isFalse();
        assertThat(loop.poll()).isFalse();
    }

    @Test
    void shouldRefuseToPollFromWithinACallback() {
        try (EventLoop loop = EventLoop.create("nested")) {
            AtomicInteger refused = new AtomicInteger();
            loop.execute(() -> assertThatIllegalStateException().isThrownBy(loop::poll).satisfies(e -> refused.set(1)));
            loop.poll();
            assertThat(refused).hasValue(1);
        }
    }

    @Test
    void shouldNotSleepWhileWorkIsLeft() {
        try (EventLoop loop = EventLoop.create(EventLoopConfig.defaults().withMaxTasksPerTurn(2))) {
            AtomicInteger runs = new AtomicInteger();
            for (int i = 0; i < 20; i++) {
                loop.execute(runs::incrementAndGet);
            }
            int polls = 0;
            while (!loop.poll()) {
                polls++;
            }
            assertThat(runs).hasValue(20);
            assertThat(polls).isBetween(9, 12);
        }
    }

    @Test
    void shouldWakeTheForeignLoopForWorkOfItsOwnThreadBetweenPolls() {
        EventLoop loop = EventLoop.create("between");
        try (loop; ForeignLoop foreign = new ForeignLoop(loop)) {
            AtomicInteger runs = new AtomicInteger();
            untilAsleep(loop);
            loop.execute(runs::incrementAndGet);
            foreign.sleep();
            untilAsleep(loop);
            loop.atEndOfTurn(runs::incrementAndGet);
            foreign.sleep();
            untilAsleep(loop);
            loop.schedule(runs::incrementAndGet, 1, TimeUnit.MILLISECONDS);
            foreign.sleep();
            untilAsleep(loop);
            loop.openSignal("", x -> runs.incrementAndGet()).fire();
            foreign.sleep();
            untilAsleep(loop);
            assertThat(runs).hasValue(4);
        }
    }

    @Test
    void shouldWakeTheForeignLoopForAPollerThatFoundWorkBetweenPolls() {
        EventLoop loop = EventLoop.create("found");
        AtomicInteger found = new AtomicInteger();
        AtomicInteger done = new AtomicInteger();
        loop.addPoller(new LoopPoller() {
            @Override
            public int poll() {
                int work = found.getAndSet(0);
                done.addAndGet(work);
                return work;
            }

            @Override
            public boolean mayWait() {
                return found.get() == 0;
            }
        });
        try (loop; ForeignLoop foreign = new ForeignLoop(loop)) {
            untilAsleep(loop);
            for (int i = 0; i < 3; i++) {
                found.set(1);
                loop.pollAgain();
                foreign.sleep();
                untilAsleep(loop);
            }
            assertThat(done).hasValue(3);
        }
    }

    private static void untilAsleep(EventLoop loop) {
        for (int i = 0; !loop.poll(); i++) {
            assertThat(i).isLessThan(100);
        }
    }

    @Test
    void shouldCloseInTheNextPollAfterTerminate() {
        EventLoop loop = EventLoop.create("terminate");
        AtomicInteger hooks = new AtomicInteger();
        loop.onClose(hooks::incrementAndGet);
        try (ForeignLoop foreign = new ForeignLoop(loop)) {
            untilAsleep(loop);
            join(startThreads(1, loop::terminate));
            foreign.sleep();
            assertThat(loop.isTerminated()).isFalse();
            assertThat(loop.poll()).isFalse();
            assertThat(loop.isTerminated()).isTrue();
            assertThat(hooks).hasValue(1);
        }
    }

    @Test
    void shouldRunALoopInsideALoop() {
        EventLoop outer = EventLoop.create("outer");
        EventLoop inner = EventLoop.create("inner");
        inner.openSignal("", x -> inner.terminate()).fire();
        outer.onInit(() -> {
            FdRegistration[] registration = new FdRegistration[1];
            registration[0] = outer.register(inner.epollFd(), FdRegistration.READABLE, events -> {
                inner.poll();
                if (inner.isTerminated()) {
                    registration[0].close();
                    assertThat(EventLoop.isLoopThread(Thread.currentThread())).isTrue();
                    outer.terminate();
                }
            });
        });
        outer.run();
        assertThat(inner.isTerminated()).isTrue();
        assertThat(outer.statistics().userExceptions()).isZero();
        assertThat(EventLoop.isLoopThread(Thread.currentThread())).isFalse();
    }
}
