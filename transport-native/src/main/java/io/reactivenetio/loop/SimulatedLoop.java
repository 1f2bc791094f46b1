// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.loop;

import io.reactivenetio.loop.task.LoopClock;
import io.reactivenetio.loop.thread.LoopThreads;
import io.reactivenetio.loop.thread.SimulatedOwnership;
import java.util.Objects;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Internal: an event loop without a thread, for simulations and tests. Whoever drives it says what time it is and when the loop
 * takes a turn, and so decides every interleaving. Code that a turn calls is on the loop; code outside of a turn, or within
 * {@link #asStranger}, is on another thread as far as the loop can tell. Nothing sleeps, and {@link EventLoop#close()} returns
 * at once: the next turn closes the loop. One real thread at a time may make the calls.
 */
public final class SimulatedLoop {
    private final SimulatedOwnership ownership = new SimulatedOwnership();
    private final EventLoop loop;
    private final boolean tells;
    private volatile boolean begun;

    /**
     * A loop that reads the time, in nanoseconds, from {@code clock}.
     *
     * @throws java.io.UncheckedIOException if no file descriptors are left
     */
    public SimulatedLoop(EventLoopConfig config, LongSupplier clock) {
        this(config, clock, null);
    }

    /**
     * A loop that tells {@code onWork} of each task, and of its end, that comes between two turns, on the thread that it came
     * from. {@code onWork} may take the next turn. What comes within a turn is not told: whoever takes the turns looks for work
     * after each. The first turn is taken here.
     *
     * @throws java.io.UncheckedIOException if no file descriptors are left
     */
    public SimulatedLoop(EventLoopConfig config, LongSupplier clock, @Nullable Runnable onWork) {
        tells = onWork != null;
        loop = EventLoop.simulated(config, new LoopClock(Objects.requireNonNull(clock, "clock"), true), ownership,
                onWork == null ? null : () -> tell(onWork));
        if (tells) {
            turn(); // a loop has tasks from the beginning
            begun = true;
        }
    }

    private void tell(Runnable onWork) {
        if (begun) {
            onWork.run();
        }
    }

    public EventLoop loop() {
        return loop;
    }

    /** Takes one turn: the delayed tasks that are due, the inbox, the pollers, the end of the turn. Nothing when it has ended. */
    public void turn() {
        if (loop.isTerminated()) {
            return;
        }
        Thread thread = Thread.currentThread();
        boolean before = ownership.enter(true);
        LoopThreads.enter(thread);
        try {
            loop.simulatedTurn(tells);
        } finally {
            if (!loop.isTerminated()) { // a loop that ends lets its thread go
                LoopThreads.exit(thread);
            }
            ownership.enter(before);
        }
    }

    /** Runs {@code action} as if another thread did so while the loop is between two steps of a turn. */
    public void asStranger(Runnable action) {
        Thread thread = Thread.currentThread();
        boolean before = ownership.enter(false);
        if (before) {
            LoopThreads.exit(thread);
        }
        try {
            action.run();
        } finally {
            if (before) {
                LoopThreads.enter(thread);
            }
            ownership.enter(before);
        }
    }

    /** Whether a turn would do something now, pollers aside. */
    public boolean hasWork() {
        return loop.hasWork();
    }

    /** When the next delayed task is due, on the clock of this loop; {@code Long.MAX_VALUE} if there is none. */
    public long nextDeadline() {
        return loop.isTerminated() ? Long.MAX_VALUE : loop.delays().nextDeadline();
    }

    /** How many delayed tasks wait. */
    public int delayedTasks() {
        return loop.delays().size();
    }
}
