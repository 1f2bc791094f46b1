// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.scheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivenetio.connection.LoopContext;
import io.reactivenetio.loop.EventLoop;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.Disposable;
import reactor.core.Exceptions;
import reactor.core.Scannable;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** What Reactor's own test suite demands of every Scheduler, for ours. One begun anew after its end is not among it any more. */
@Timeout(180)
class SchedulerContractTest {
    private final LoopContext context = LoopContext.start("contract");
    private final EventLoop loop = context.loop();
    private final Scheduler scheduler = new LoopScheduler(loop);

    /** The ways to submit a task, directly or to a Worker. */
    enum Submission {
        NOW, DELAYED, PERIODIC, WORKER_NOW, WORKER_DELAYED, WORKER_PERIODIC;

        Disposable submit(Scheduler scheduler, Scheduler.Worker worker, Runnable task) {
            return switch (this) {
                case NOW -> scheduler.schedule(task);
                case DELAYED -> scheduler.schedule(task, 5, TimeUnit.MILLISECONDS);
                case PERIODIC -> scheduler.schedulePeriodically(task, 5, 5, TimeUnit.MILLISECONDS);
                case WORKER_NOW -> worker.schedule(task);
                case WORKER_DELAYED -> worker.schedule(task, 5, TimeUnit.MILLISECONDS);
                case WORKER_PERIODIC -> worker.schedulePeriodically(task, 5, 5, TimeUnit.MILLISECONDS);
            };
        }
    }

    /** A task that keeps the loop until it is let go, without blocking it. */
    private static final class Busy implements Runnable {
        private final CountDownLatch begun = new CountDownLatch(1);
        private final AtomicBoolean letGo = new AtomicBoolean();
        private final AtomicInteger runs = new AtomicInteger();

        @Override
        public void run() {
            runs.incrementAndGet();
            begun.countDown();
            boolean go = false;
            while (!go) { // without Thread.onSpinWait, which BlockHound takes for a wait
                go = letGo.get();
            }
        }

        void awaitBegin() throws InterruptedException {
            assertThat(begun.await(10, TimeUnit.SECONDS)).isTrue();
        }
    }

    @AfterEach
    void close() {
        context.close();
    }

    /** Returns when the loop has run what was due within {@code millis}: it runs delayed tasks in the order of their times. */
    private void settleAfter(int millis) throws InterruptedException {
        CountDownLatch done = new CountDownLatch(1);
        new LoopScheduler(loop).schedule(done::countDown, millis, TimeUnit.MILLISECONDS);
        assertThat(done.await(60, TimeUnit.SECONDS)).isTrue();
    }

    private void settle() throws InterruptedException {
        CountDownLatch done = new CountDownLatch(1);
        loop.execute(done::countDown);
        assertThat(done.await(10, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void shouldNotBeDisposedBeforeItsFirstTask() {
        assertThat(scheduler.isDisposed()).isFalse();
    }

    @Test
    void shouldAllowToBeInitializedAnyNumberOfTimes() {
        scheduler.init();
        scheduler.init();
        context.scheduler().init();
        assertThat(scheduler.isDisposed()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldRefuseToBeInitializedAfterItsEnd(boolean gracefully) {
        if (gracefully) {
            scheduler.disposeGracefully().block(Duration.ofSeconds(10));
        } else {
            scheduler.dispose();
        }
        assertThatIllegalStateException().isThrownBy(scheduler::init).withMessageContaining("contract");
        context.close();
        assertThatIllegalStateException().isThrownBy(context.scheduler()::init);
    }

    @Test
    @SuppressWarnings("deprecation")
    void shouldNotBeginAgain() {
        scheduler.dispose();
        scheduler.start();
        assertThat(scheduler.isDisposed()).isTrue();
        assertThatThrownBy(() -> scheduler.schedule(() -> { })).isSameAs(Exceptions.failWithRejected());
    }

    @ParameterizedTest
    @EnumSource(Submission.class)
    void shouldShowATaskAsDisposedWhenItIsOverAndNotBefore(Submission how) throws Exception {
        Busy task = new Busy();
        Disposable submitted = how.submit(scheduler, scheduler.createWorker(), task);
        assertThat(submitted.isDisposed()).isFalse();
        task.awaitBegin();
        assertThat(submitted.isDisposed()).as("while it runs").isFalse();
        task.letGo.set(true);
        settle();
        boolean once = how == Submission.NOW || how == Submission.DELAYED
                || how == Submission.WORKER_NOW || how == Submission.WORKER_DELAYED;
        assertThat(submitted.isDisposed()).as("after its run").isEqualTo(once);
        submitted.dispose();
        assertThat(submitted.isDisposed()).isTrue();
    }

    @ParameterizedTest
    @EnumSource(Submission.class)
    void shouldLetATaskFinishThatIsDisposedOfWhileItRuns(Submission how) throws Exception {
        Busy task = new Busy();
        AtomicBoolean interrupted = new AtomicBoolean();
        Disposable submitted = how.submit(scheduler, scheduler.createWorker(), () -> {
            task.run();
            interrupted.set(Thread.currentThread().isInterrupted());
        });
        task.awaitBegin();
        submitted.dispose();
        submitted.dispose();
        assertThat(submitted.isDisposed()).isTrue();
        task.letGo.set(true);
        settleAfter(20);
        assertThat(task.runs).hasValue(1);
        assertThat(interrupted).isFalse();
    }

    @ParameterizedTest
    @EnumSource(Submission.class)
    void shouldRejectWhatComesAfterTheEndOfAWorkerOrOfAll(Submission how) {
        Scheduler.Worker worker = scheduler.createWorker();
        worker.dispose();
        worker.dispose();
        assertThat(worker.isDisposed()).isTrue();
        if (how.name().startsWith("WORKER")) {
            assertThatThrownBy(() -> how.submit(scheduler, worker, () -> { })).isSameAs(Exceptions.failWithRejected());
        } else {
            how.submit(scheduler, worker, () -> { }).dispose();
        }
        scheduler.dispose();
        scheduler.dispose();
        assertThat(scheduler.isDisposed()).isTrue();
        assertThatThrownBy(() -> how.submit(scheduler, scheduler.createWorker(), () -> { }))
                .isInstanceOf(RejectedExecutionException.class).isSameAs(Exceptions.failWithRejected());
    }

    @ParameterizedTest
    @EnumSource(value = Submission.class, names = "WORKER.*", mode = EnumSource.Mode.MATCH_ALL)
    void shouldDisposeOfAllTasksWithTheirWorker(Submission how) throws Exception {
        Busy first = new Busy();
        Scheduler.Worker worker = scheduler.createWorker();
        worker.schedule(first);
        first.awaitBegin();
        AtomicInteger runs = new AtomicInteger();
        List<Disposable> several = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            several.add(how.submit(scheduler, worker, runs::incrementAndGet));
        }
        worker.dispose();
        assertThat(several).allMatch(Disposable::isDisposed);
        first.letGo.set(true);
        settleAfter(20);
        assertThat(runs).hasValue(0);
    }

    @Test
    void shouldKeepTheOrderOfEachOfSeveralThreadsThatSubmit() throws Exception {
        List<int[]> ran = Collections.synchronizedList(new ArrayList<>());
        List<Thread> threads = IntStream.range(0, 4).mapToObj(thread -> Thread.ofPlatform().start(() -> {
            Scheduler.Worker worker = scheduler.createWorker();
            for (int i = 0; i < 1_000; i++) {
                int number = i;
                worker.schedule(() -> ran.add(new int[] {thread, number}));
            }
        })).toList();
        for (Thread thread : threads) {
            thread.join(10_000);
        }
        settle();
        for (int thread = 0; thread < 4; thread++) {
            int of = thread;
            assertThat(ran.stream().filter(run -> run[0] == of).map(run -> run[1]).toList())
                    .isEqualTo(IntStream.range(0, 1_000).boxed().toList());
        }
    }

    @Test
    void shouldDecorateTasksAsReactorIsAskedTo() throws Exception {
        AtomicInteger decorated = new AtomicInteger();
        Runnable mine = () -> { };
        Schedulers.onScheduleHook("contract", task -> {
            if (task == mine) { // others may schedule theirs
                decorated.incrementAndGet();
            }
            return task;
        });
        try {
            for (Submission how : Submission.values()) {
                how.submit(scheduler, scheduler.createWorker(), mine).dispose();
            }
            assertThat(decorated).hasValue(Submission.values().length);
        } finally {
            Schedulers.resetOnScheduleHook("contract");
        }
    }

    @Test
    void shouldShowReactorWhatItIs() {
        Scannable scanned = Scannable.from(scheduler);
        assertThat(scanned.isScanAvailable()).isTrue();
        assertThat(scanned.scan(Scannable.Attr.NAME)).isEqualTo("netio");
        assertThat(scanned.scan(Scannable.Attr.TERMINATED)).isFalse();
        scheduler.dispose();
        assertThat(scanned.scan(Scannable.Attr.TERMINATED)).isTrue();
    }

    @Test
    void shouldTellTheTime() {
        long before = System.currentTimeMillis();
        assertThat(scheduler.now(TimeUnit.MILLISECONDS)).isBetween(before, System.currentTimeMillis() + 1_000);
    }
}
