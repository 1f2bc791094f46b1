// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import io.reactivenetio.flow.LoopContext;
import io.reactivenetio.loop.LoopStatistics;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.scheduler.Scheduler;

/** Event loops that servers and clients run on, each with a thread of its own; new work goes to them in turn. Any thread. */
public final class NetioLoops implements Disposable {
    private static @Nullable NetioLoops shared;

    private final List<LoopContext> loops;
    private final AtomicInteger turn = new AtomicInteger();
    private volatile boolean disposed;

    private NetioLoops(List<LoopContext> loops) {
        this.loops = List.copyOf(loops);
    }

    /** {@code number} loops, whose daemon threads are named {@code name-1} and so on. */
    public static NetioLoops create(String name, int number) {
        if (number < 1) {
            throw new IllegalArgumentException("at least one loop: " + number);
        }
        List<LoopContext> loops = new ArrayList<>(number);
        for (int i = 1; i <= number; i++) {
            loops.add(LoopContext.start(name + "-" + i));
        }
        return new NetioLoops(loops);
    }

    /** The loop that servers and clients share unless told otherwise; made when first used, and anew after it was disposed of. */
    public static synchronized NetioLoops shared() {
        NetioLoops loops = shared;
        if (loops == null || loops.isDisposed()) {
            loops = create("netio", 1);
            shared = loops;
        }
        return loops;
    }

    LoopContext next() {
        if (disposed) {
            throw new IllegalStateException("these loops have been disposed of");
        }
        return loops.get(Math.floorMod(turn.getAndIncrement(), loops.size()));
    }

    List<LoopContext> all() {
        return loops;
    }

    /** The Scheduler of one of the loops, the next in turn. It ends with the loops: disposing of it does nothing. */
    public Scheduler scheduler() {
        return next().scheduler();
    }

    /**
     * The counters of each loop, live: turns, tasks of its Scheduler and its own, wake-ups, slow turns. They are kept anyway; for
     * timings of single tasks, wrap {@link #scheduler} in Reactor's {@code Micrometer.timedScheduler}.
     */
    public List<LoopStatistics> statistics() {
        return loops.stream().map(context -> context.loop().statistics()).toList();
    }

    /**
     * Ends the loops and everything on them: connections are closed, sends in progress fail. Returns when that is done, or at
     * once on a loop.
     */
    @Override
    public void dispose() {
        disposed = true;
        loops.forEach(LoopContext::close);
    }

    @Override
    public boolean isDisposed() {
        return disposed;
    }
}
