// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.scheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivenetio.connection.LoopContext;
import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.loop.EventLoopConfig;
import io.reactivenetio.loop.SimulatedLoop;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** What Reactor expects of a Scheduler, in small. */
@Timeout(180)
class LoopSchedulerTest {
    private final LoopContext context = LoopContext.start("scheduler");
    private final Scheduler scheduler = new LoopScheduler(context.loop());

    @AfterEach
    void close() {
        context.close();
    }

    private void settle() {
        CountDownLatch done = new CountDownLatch(1);
        context.loop().execute(done::countDown);
        await(done);
    }

    /** Returns when the loop has run what was due within {@code millis}: it runs delayed tasks in the order of their times. */
    private void settleAfter(int millis) {
        CountDownLatch done = new CountDownLatch(1);
        new LoopScheduler(context.loop()).schedule(done::countDown, millis, TimeUnit.MILLISECONDS);
        await(done);
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void shouldRunTasksInTheOrderGivenOnTheLoop() {
        List<Integer> ran = Collections.synchronizedList(new ArrayList<>());
        Scheduler.Worker worker = scheduler.createWorker();
        for (int i = 0; i < 1_000; i++) {
            int number = i;
            Runnable task = () -> ran.add(context.loop().inEventLoop() ? number : -1);
            if (i % 2 == 0) {
                worker.schedule(task);
            } else {
                scheduler.schedule(task);
            }
        }
        settle();
        assertThat(ran).isEqualTo(IntStream.range(0, 1_000).boxed().toList());
    }

    @Test
    void shouldNeverRunATaskInline() {
        List<String> order = Collections.synchronizedList(new ArrayList<>());
        scheduler.schedule(() -> {
            scheduler.schedule(() -> order.add("inner"));
            scheduler.schedule(() -> order.add("delayed"), 0, TimeUnit.MILLISECONDS);
            order.add("outer");
        });
        settle();
        settle();
        assertThat(order).containsExactly("outer", "inner", "delayed");
    }

    @Test
    void shouldRunDelayedTasksByDeadlineAndNotBefore() {
        List<String> order = new ArrayList<>();
        AtomicLong now = new AtomicLong(1);
        SimulatedLoop simulated = new SimulatedLoop(EventLoopConfig.defaults(), now::get);
        Scheduler onIt = new LoopScheduler(simulated.loop());
        onIt.schedule(() -> order.add("late"), 1_000, TimeUnit.MILLISECONDS);
        onIt.createWorker().schedule(() -> order.add("early"), 20, TimeUnit.MILLISECONDS);
        now.addAndGet(19_999_999);
        simulated.turn();
        assertThat(order).isEmpty();
        now.addAndGet(1);
        simulated.turn();
        assertThat(order).containsExactly("early");
        now.addAndGet(979_999_999);
        simulated.turn();
        assertThat(order).hasSize(1);
        now.addAndGet(1);
        simulated.turn();
        assertThat(order).containsExactly("early", "late");
        simulated.loop().close();
        simulated.turn();
    }

    @Test
    void shouldWaitForAsLongAsADelayedTaskIsDelayed() {
        CountDownLatch done = new CountDownLatch(1);
        long start = System.nanoTime();
        scheduler.schedule(done::countDown, 20, TimeUnit.MILLISECONDS);
        await(done);
        assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(20_000_000);
    }

    @Test
    void shouldRepeatATaskUntilItDisposesOfItself() throws Exception {
        AtomicInteger runs = new AtomicInteger();
        AtomicReference<Disposable> itself = new AtomicReference<>();
        CountDownLatch done = new CountDownLatch(3);
        context.loop().execute(() -> itself.set(scheduler.schedulePeriodically(() -> {
            if (runs.incrementAndGet() == 3) {
                itself.get().dispose();
            }
            done.countDown();
        }, 5, 5, TimeUnit.MILLISECONDS)));
        await(done);
        settleAfter(20);
        assertThat(runs).hasValue(3);
        assertThat(itself.get().isDisposed()).isTrue();
    }

    @Test
    void shouldKeepTheRateOfAPeriodicTask() {
        CountDownLatch done = new CountDownLatch(20);
        long start = System.nanoTime();
        Disposable task = scheduler.schedulePeriodically(done::countDown, 0, 5, TimeUnit.MILLISECONDS);
        await(done);
        task.dispose();
        assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(19 * 5_000_000L);
    }

    @Test
    void shouldNotRunADisposedTask() throws Exception {
        AtomicInteger runs = new AtomicInteger();
        CountDownLatch go = new CountDownLatch(1);
        scheduler.schedule(() -> await(go));
        Disposable now = scheduler.schedule(runs::incrementAndGet);
        Disposable later = scheduler.schedule(runs::incrementAndGet, 10, TimeUnit.MILLISECONDS);
        now.dispose();
        later.dispose();
        go.countDown();
        settleAfter(20);
        settle();
        assertThat(runs).hasValue(0);
        assertThat(now.isDisposed()).isTrue();
        assertThat(later.isDisposed()).isTrue();
    }

    @Test
    void shouldDropTheTasksOfADisposedWorkerAndRejectNewOnes() throws Exception {
        AtomicInteger runs = new AtomicInteger();
        Scheduler.Worker worker = scheduler.createWorker();
        Scheduler.Worker other = scheduler.createWorker();
        CountDownLatch busy = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        worker.schedule(() -> {
            busy.countDown();
            await(go);
        });
        await(busy); // or what is due in a millisecond could run before the first task
        worker.schedule(runs::incrementAndGet);
        worker.schedule(runs::incrementAndGet, 10, TimeUnit.MILLISECONDS);
        worker.schedulePeriodically(runs::incrementAndGet, 1, 1, TimeUnit.MILLISECONDS);
        worker.dispose();
        worker.dispose();
        go.countDown();
        settleAfter(20);
        assertThat(runs).hasValue(0);
        assertThat(worker.isDisposed()).isTrue();
        assertThatThrownBy(() -> worker.schedule(runs::incrementAndGet)).isInstanceOf(RejectedExecutionException.class);
        other.schedule(runs::incrementAndGet);
        settle();
        assertThat(runs).hasValue(1);
    }

    @Test
    void shouldRejectTasksAndRepeatNoneAfterDispose() throws Exception {
        AtomicInteger runs = new AtomicInteger();
        Scheduler.Worker worker = scheduler.createWorker();
        CountDownLatch repeated = new CountDownLatch(2);
        scheduler.schedulePeriodically(() -> {
            runs.incrementAndGet();
            repeated.countDown();
        }, 1, 1, TimeUnit.MILLISECONDS);
        await(repeated);
        scheduler.dispose();
        settle();
        int before = runs.get();
        settleAfter(20);
        assertThat(runs.get()).isLessThanOrEqualTo(before + 1);
        assertThat(scheduler.isDisposed()).isTrue();
        assertThatThrownBy(() -> scheduler.schedule(() -> { })).isInstanceOf(RejectedExecutionException.class);
        assertThatThrownBy(() -> scheduler.schedule(() -> { }, 1, TimeUnit.MILLISECONDS))
                .isInstanceOf(RejectedExecutionException.class);
        assertThatThrownBy(() -> worker.schedulePeriodically(() -> { }, 1, 1, TimeUnit.MILLISECONDS))
                .isInstanceOf(RejectedExecutionException.class);
    }

    @Test
    void shouldRejectTasksWhenTheLoopHasEnded() {
        context.loop().close();
        assertThat(scheduler.isDisposed()).isTrue();
        assertThatThrownBy(() -> scheduler.schedule(() -> { })).isInstanceOf(RejectedExecutionException.class);
        assertThatThrownBy(() -> scheduler.createWorker().schedule(() -> { })).isInstanceOf(RejectedExecutionException.class);
    }

    @Test
    void shouldGoOnAfterATaskThatThrows() {
        CompletableFuture<Throwable> hooked = new CompletableFuture<>();
        CompletableFuture<Throwable> uncaught = new CompletableFuture<>();
        AtomicInteger runs = new AtomicInteger();
        Schedulers.onHandleError("test", (thread, error) -> hooked.complete(error));
        try {
            scheduler.schedule(() -> Thread.currentThread().setUncaughtExceptionHandler((t, error) -> uncaught.complete(error)));
            Disposable task = scheduler.schedulePeriodically(() -> {
                runs.incrementAndGet();
                throw new IllegalStateException("on purpose");
            }, 1, 1, TimeUnit.MILLISECONDS);
            assertThat(hooked.orTimeout(30, TimeUnit.SECONDS).join()).hasMessage("on purpose")
                    .isInstanceOf(IllegalStateException.class);
            assertThat(uncaught.orTimeout(30, TimeUnit.SECONDS).join()).isSameAs(hooked.join());
            assertThat(task.isDisposed()).isTrue();
            scheduler.schedule(runs::incrementAndGet);
            settle();
            assertThat(runs).hasValue(2);
        } finally {
            Schedulers.resetOnHandleError("test");
        }
    }

    @Test
    void shouldReportToTheLoopWhatTheErrorHookThrows() {
        CompletableFuture<Throwable> reported = new CompletableFuture<>();
        context.loop().onError(reported::complete);
        Schedulers.onHandleError("test", (thread, error) -> {
            throw new IllegalStateException("thrown by the hook");
        });
        try {
            scheduler.schedule(() -> Thread.currentThread().setUncaughtExceptionHandler((t, error) -> { }));
            scheduler.schedule(() -> {
                throw new LinkageError("on purpose");
            });
            assertThat(reported.orTimeout(30, TimeUnit.SECONDS).join()).hasMessage("thrown by the hook");
        } finally {
            Schedulers.resetOnHandleError("test");
        }
    }

    @Test
    void shouldNotEndForEverybodyWhenOneUserDisposesOfIt() {
        AtomicInteger runs = new AtomicInteger();
        Scheduler shared = context.scheduler();
        shared.dispose();
        assertThat(shared.isDisposed()).isFalse();
        shared.schedule(runs::incrementAndGet);
        settle();
        assertThat(runs).hasValue(1);
        context.close();
        assertThat(shared.isDisposed()).isTrue();
        assertThatThrownBy(() -> shared.schedule(runs::incrementAndGet)).isInstanceOf(RejectedExecutionException.class);
    }

    @Test
    void shouldServeTheOperators() {
        assertThat(Flux.range(0, 10_000).publishOn(scheduler).map(n -> context.loop().inEventLoop() ? n : -1)
                .collectList().block()).isEqualTo(IntStream.range(0, 10_000).boxed().toList());
        assertThat(Flux.interval(java.time.Duration.ofMillis(2), scheduler).take(5).collectList().block())
                .containsExactly(0L, 1L, 2L, 3L, 4L);
    }

    @Test
    void shouldFailABlockOnItsThread() {
        CompletableFuture<Throwable> thrown = new CompletableFuture<>();
        scheduler.schedule(() -> {
            try {
                Mono.never().block();
                thrown.complete(new AssertionError("block() returned"));
            } catch (RuntimeException e) {
                thrown.complete(e);
            }
        });
        assertThat(thrown.join()).isInstanceOf(IllegalStateException.class).hasMessageContaining("block");
        assertThat(EventLoop.isLoopThread(Thread.currentThread())).isFalse();
    }
}
