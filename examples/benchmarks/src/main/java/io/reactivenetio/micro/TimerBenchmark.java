// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.micro;

import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.loop.Timer;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** A timer, which has a timerfd of its own, is started and stopped: two system calls. */
@State(Scope.Thread)
public class TimerBenchmark {
    private final EventLoop loop = EventLoop.create("micro");
    private final Timer timer = loop.openTimer("", expired -> { });

    @TearDown
    public void close() {
        timer.close();
        loop.close();
    }

    @Benchmark
    public void startAndStop() {
        timer.startOnce(1, TimeUnit.HOURS);
        timer.stop();
    }
}
