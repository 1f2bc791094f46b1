// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.micro;

import io.reactivenetio.loop.EventLoop;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** A task is delayed on the thread of its loop, and cancelled at once, beside others that wait. */
@State(Scope.Thread)
public class DelayBenchmark {
    @Param({"0", "1000"})
    int waiting;

    private final EventLoop loop = EventLoop.create("micro");

    @Setup
    public void begin() {
        loop.poll(); // makes this thread the loop's
        for (int i = 1; i <= waiting; i++) {
            loop.schedule(() -> { }, i, TimeUnit.HOURS);
        }
    }

    @TearDown
    public void close() {
        loop.close();
    }

    @Benchmark
    public boolean scheduleAndCancel() {
        return loop.schedule(() -> { }, 1, TimeUnit.DAYS).cancel();
    }
}
