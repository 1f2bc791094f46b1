// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactivenetio.ffm.LibC;
import java.io.File;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** What the tests of this package share. Every wait is bounded. */
public final class LoopTesting {
    static final Duration BOUND = Duration.ofSeconds(20);

    private LoopTesting() {
    }

    static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(BOUND.toMillis(), TimeUnit.MILLISECONDS)).as("in time").isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    static void awaitEnd(EventLoop loop) {
        try {
            assertThat(loop.awaitTermination(BOUND)).as("terminated in time").isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    public static void join(Thread... threads) {
        for (Thread thread : threads) {
            try {
                assertThat(thread.join(BOUND)).as("ended in time").isTrue();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }

    /** For conditions nobody can be told of, like a thread being asleep in the kernel. */
    public static void awaitUntil(BooleanSupplier condition) {
        long deadline = System.nanoTime() + BOUND.toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime() - deadline).as("in time").isNegative();
            Thread.onSpinWait();
        }
    }

    /** Runs {@code code} on the loop and returns what it returns or throws what it throws. */
    static <T> T onLoop(EventLoop loop, Supplier<T> code) {
        return CompletableFuture.supplyAsync(code, loop).orTimeout(BOUND.toMillis(), TimeUnit.MILLISECONDS).join();
    }

    static void runOnLoop(EventLoop loop, Runnable code) {
        CompletableFuture.runAsync(code, loop).orTimeout(BOUND.toMillis(), TimeUnit.MILLISECONDS).join();
    }

    public static Thread[] startThreads(int count, Runnable code) {
        Thread[] threads = new Thread[count];
        for (int i = 0; i < count; i++) {
            threads[i] = Thread.ofPlatform().daemon().start(code);
        }
        return threads;
    }

    static int eventfd(int initial) {
        int fd = LibC.eventfd(initial, LibC.EFD_CLOEXEC | LibC.EFD_NONBLOCK);
        assertThat(fd).isNotNegative();
        return fd;
    }

    static void writeOne(int fd) {
        MemorySegment one = Arena.ofAuto().allocate(8, 8);
        one.set(ValueLayout.JAVA_LONG, 0, 1);
        assertThat(LibC.write(fd, one, 8)).isEqualTo(8);
    }

    static int openFds() {
        String[] names = new File("/proc/self/fd").list();
        assertThat(names).isNotNull();
        return names.length;
    }

    /** A configuration with io_uring; the test is skipped where that is missing or forbidden, as in many containers. */
    static EventLoopConfig onIoUring(String name) {
        Optional<String> missing = LoopMechanism.IO_URING.unavailability();
        assumeTrue(missing.isEmpty(), () -> missing.orElse(""));
        return EventLoopConfig.defaults().withName(name).withMechanism(LoopMechanism.IO_URING);
    }
}
