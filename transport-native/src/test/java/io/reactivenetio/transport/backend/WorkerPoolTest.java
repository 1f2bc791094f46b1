// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.loop.EventLoopConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class WorkerPoolTest {
    private final ThreadPoolExecutor pool = WorkerPool.create("test-worker-", 3);

    @AfterEach
    void stop() {
        pool.shutdownNow();
    }

    @Test
    void shouldUseAThreadAgain() throws Exception {
        for (int i = 0; i < 100; i++) {
            pool.submit(() -> { }).get();
            Party.await(() -> pool.getActiveCount() == 0);
        }
        assertThat(pool.getLargestPoolSize()).as("the thread may not wait yet when the next task comes").isLessThan(3);
    }

    @Test
    void shouldStartThreadsUpToTheLimitAndKeepTheRest() throws Exception {
        CountDownLatch running = new CountDownLatch(3);
        CountDownLatch go = new CountDownLatch(1);
        List<Future<?>> tasks = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            tasks.add(pool.submit(() -> {
                running.countDown();
                go.await();
                return null;
            }));
        }
        assertThat(running.await(30, TimeUnit.SECONDS)).isTrue();
        assertThat(pool.getPoolSize()).isEqualTo(3);
        assertThat(pool.getQueue()).hasSize(7);
        go.countDown();
        for (Future<?> task : tasks) {
            task.get();
        }
        pool.shutdown();
        assertThatThrownBy(() -> pool.execute(() -> { })).isInstanceOf(RejectedExecutionException.class);
    }

    @Test
    void shouldKeepNoLoopWaiting() throws Exception {
        Thread[] started = new Thread[1];
        WorkerPool slow = new WorkerPool(task -> {
            started[0] = Thread.currentThread();
            return Thread.ofPlatform().daemon().unstarted(task);
        }, 3);
        try (EventLoop loop = EventLoop.create(EventLoopConfig.defaults().withName("has-tasks"))) {
            loop.start();
            CountDownLatch done = new CountDownLatch(1);
            loop.execute(() -> slow.execute(done::countDown));
            assertThat(done.await(30, TimeUnit.SECONDS)).isTrue();
            assertThat(EventLoop.isLoopThread(started[0])).as("a loop starts no thread").isFalse();
        } finally {
            slow.shutdownNow();
        }
    }

    @Test
    void shouldRunATaskOfALoopWithoutAThread() throws Exception {
        WorkerPool none = new WorkerPool(task -> {
            throw new OutOfMemoryError("unable to create native thread");
        }, 3);
        try (EventLoop loop = EventLoop.create(EventLoopConfig.defaults().withName("has-tasks"))) {
            loop.start();
            CountDownLatch done = new CountDownLatch(1);
            loop.execute(() -> none.execute(done::countDown));
            assertThat(done.await(30, TimeUnit.SECONDS)).isTrue();
        } finally {
            none.shutdownNow();
        }
    }
}
