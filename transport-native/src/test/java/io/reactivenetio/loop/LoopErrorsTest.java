// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.loop;

import static io.reactivenetio.loop.LoopTesting.await;
import static io.reactivenetio.loop.LoopTesting.eventfd;
import static io.reactivenetio.loop.LoopTesting.runOnLoop;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.ffm.LibC;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LoopErrorsTest {
    /** What fails while the loop runs. */
    private static final List<String> EACH = List.of("init", "signal", "semaphore", "timer", "delayed", "fd", "poll", "mayWait",
            "task", "end of turn", "error");

    private static void fail(String what) {
        throw new IllegalArgumentException(what);
    }

    @Test
    void shouldSurviveAnExceptionOfEachKindOfCallback() {
        int fd = eventfd(1);
        EventLoop loop = EventLoop.create("errors");
        List<String> reported = Collections.synchronizedList(new ArrayList<>());
        loop.onError(failure -> {
            reported.add(failure.getMessage());
            if (reported.containsAll(EACH) && Collections.frequency(reported, "semaphore") == 2) {
                loop.terminate();
            }
        });
        loop.onInit(() -> fail("init"));
        loop.onClose(() -> fail("hook"));
        loop.openSignal("signal", LoopErrorsTest::fail).fire();
        Signal semaphore = loop.openSemaphoreSignal("semaphore", LoopErrorsTest::fail);
        semaphore.fire();
        semaphore.fire();
        loop.openTimer("timer", LoopErrorsTest::fail).startOnce(1, TimeUnit.NANOSECONDS);
        loop.schedule(() -> fail("delayed"), 0, TimeUnit.NANOSECONDS);
        FdRegistration[] registration = new FdRegistration[1];
        registration[0] = loop.register(fd, FdRegistration.READABLE, events -> {
            registration[0].close();
            fail("fd");
        });
        loop.addPoller(new LoopPoller() {
            @Override
            public int poll() {
                fail("poll");
                return 1;
            }

            @Override
            public boolean mayWait() {
                loop.removePoller(this);
                fail("mayWait");
                return false;
            }
        });
        loop.execute(() -> {
            loop.atEndOfTurn(() -> fail("end of turn"));
            fail("task");
        });
        loop.execute(() -> {
            throw new StackOverflowError("error");
        });
        loop.schedule(loop::terminate, 20, TimeUnit.SECONDS); // if one of them is never reported
        loop.run();
        LibC.close(fd);
        assertThat(reported).containsAll(EACH).contains("hook");
        assertThat(reported).filteredOn("semaphore"::equals).hasSize(2);
        assertThat(loop.statistics().userExceptions()).isEqualTo(reported.size());
    }

    @Test
    void shouldSurviveAnExceptionOfTheErrorHandler() {
        try (EventLoop loop = EventLoop.create("handler")) {
            CountDownLatch called = new CountDownLatch(2);
            loop.onError(failure -> {
                called.countDown();
                throw new IllegalStateException("the handler itself", failure);
            });
            loop.start();
            loop.execute(() -> fail("first"));
            loop.execute(() -> fail("second"));
            await(called);
            runOnLoop(loop, () -> { });
        }
    }

    @Test
    void shouldLogByDefault() {
        try (EventLoop loop = EventLoop.create("default handler")) {
            loop.start();
            loop.execute(() -> fail("expected in the log of this test"));
            runOnLoop(loop, () -> { });
            assertThat(loop.statistics().userExceptions()).isEqualTo(1);
        }
    }

    @Test
    void shouldKeepRunningATimerWhoseCallbackThrows() {
        EventLoop loop = EventLoop.create("timer");
        CountDownLatch calls = new CountDownLatch(3);
        loop.onError(failure -> { });
        loop.openTimer("", x -> {
            calls.countDown();
            if (calls.getCount() == 0) {
                loop.terminate();
            }
            fail("timer");
        }).start(1, TimeUnit.MILLISECONDS);
        loop.run();
        assertThat(loop.statistics().userExceptions()).isGreaterThanOrEqualTo(3);
    }
}
