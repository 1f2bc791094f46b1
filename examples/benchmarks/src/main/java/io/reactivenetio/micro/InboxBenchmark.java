// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.micro;

import io.reactivenetio.loop.EventLoop;
import java.util.concurrent.atomic.AtomicLong;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** A task goes from another thread onto a loop that has one of its own, and that sleeps when it has nothing to do. */
@State(Scope.Benchmark)
public class InboxBenchmark {
    static final int TASKS = 256;

    private final EventLoop loop = EventLoop.create("micro");
    private final AtomicLong ran = new AtomicLong();
    private final Runnable task = this::count;
    private long given;

    @Setup
    public void start() {
        loop.start();
    }

    @TearDown
    public void close() {
        loop.close();
    }

    /** One of 256 tasks, until the last of them has run. */
    @Benchmark
    @OperationsPerInvocation(TASKS)
    public void oneOfMany() {
        give(TASKS);
    }

    /** A task alone, until it has run: the loop has to be woken for it, through an eventfd. */
    @Benchmark
    public void alone() {
        give(1);
    }

    private void count() {
        ran.setRelease(ran.getPlain() + 1); // by the loop only
    }

    private void give(int tasks) {
        for (int i = 0; i < tasks; i++) {
            loop.execute(task);
        }
        given += tasks;
        while (ran.getAcquire() < given) {
            Thread.onSpinWait();
        }
    }
}
