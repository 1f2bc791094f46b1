// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.test;

import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.loop.EventLoopConfig;
import io.reactivenetio.loop.SimulatedLoop;
import io.reactivenetio.simulated.SimulatedBackend;
import java.time.Duration;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.scheduler.Scheduler;

/**
 * Drives loops without threads. Whatever can happen at the present time happens within the call that gives a loop work, on its
 * thread, and one thing after the other; what needs time happens when that is moved. One thread at a time drives; one that finds
 * another at it leaves its work to that.
 */
final class VirtualTime {
    /** How many rounds at one moment are a livelock; so are fewer of them that take so long on the kernel's clock. */
    private static final int MOST_ROUNDS = 1_000_000;
    private static final int MANY_ROUNDS = 1_000;
    private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(30);
    private static final int TASKS_PER_TURN = 64;
    private static final long NEVER = Long.MAX_VALUE;

    /** A loop, and the backends that have something for it. */
    private static final class Driven {
        private final SimulatedLoop loop;
        private final List<SimulatedBackend> backends = new CopyOnWriteArrayList<>();

        Driven(SimulatedLoop loop) {
            this.loop = loop;
        }

        boolean canWork(long now) {
            if (loop.loop().isTerminated()) {
                return false;
            }
            if (loop.hasWork() || loop.nextDeadline() <= now) {
                return true;
            }
            for (SimulatedBackend backend : backends) {
                if (backend.isPending()) {
                    return true;
                }
            }
            return false;
        }
    }

    private record Event(long at, long order, Runnable action) {
    }

    private final PairClock clock = new PairClock();
    private final Consumer<Throwable> errors;
    private final ReentrantLock driving = new ReentrantLock();
    private final ThreadLocal<Boolean> quiet = ThreadLocal.withInitial(() -> false);
    private final List<Driven> loops = new CopyOnWriteArrayList<>();
    private final PriorityQueue<Event> events = new PriorityQueue<>((a, b) ->
            a.at != b.at ? Long.compare(a.at, b.at) : Long.compare(a.order, b.order));
    private volatile boolean told;
    private long orders;
    private @Nullable Scheduler armedOn;
    private @Nullable Disposable armed;
    private long armedAt = NEVER;

    /** {@code errors} is told what loops report, and what else is thrown while this drives. */
    VirtualTime(Consumer<Throwable> errors) {
        this.errors = errors;
    }

    /** A loop that this drives until it ends. */
    EventLoop newLoop(String name) {
        SimulatedLoop made = new SimulatedLoop(EventLoopConfig.defaults().withName(name).withSlowTurnNanos(NEVER)
                .withMaxTasksPerTurn(TASKS_PER_TURN), clock::now, this::tell);
        made.loop().onError(errors);
        loops.add(new Driven(made));
        return made.loop();
    }

    /** Makes a backend on {@code loop}. That gives the loop work, which has to wait until the caller has the backend. */
    SimulatedBackend attach(EventLoop loop, Supplier<SimulatedBackend> making) {
        quiet.set(true);
        try {
            SimulatedBackend made = making.get();
            loops.stream().filter(each -> each.loop.loop() == loop).forEach(each -> each.backends.add(made));
            return made;
        } finally {
            quiet.remove();
        }
    }

    long now() {
        return clock.now();
    }

    /** Something that happens outside of every loop. By whoever drives. */
    void after(long nanos, Runnable event) {
        events.add(new Event(clock.now() + nanos, orders++, event));
    }

    /** A loop has work. Any thread. */
    private void tell() {
        told = true;
        if (!quiet.get()) {
            drive();
        }
    }

    /** Lets everything happen that can at present, unless another thread does that. Any thread. */
    void drive() {
        while (told && !driving.isHeldByCurrentThread() && driving.tryLock()) {
            try {
                settle();
            } finally {
                driving.unlock();
            }
        }
    }

    /** Does {@code action} outside of every loop, and what follows from it. Any thread; on a loop it is done a bit later. */
    void perform(Runnable action) {
        if (driving.isHeldByCurrentThread()) {
            after(0, action);
            told = true;
            return;
        }
        driving.lock();
        try {
            after(0, action);
            settle();
        } finally {
            driving.unlock();
        }
        drive();
    }

    /**
     * Moves the time: what is due meanwhile happens at its time.
     *
     * @throws IllegalStateException within a callback of a loop, for which time stands still
     */
    void advance(Duration by) {
        if (driving.isHeldByCurrentThread()) {
            throw new IllegalStateException("time cannot be moved within a callback of a loop: do it in the test's own thread");
        }
        long nanos = TimeUnit.NANOSECONDS.convert(by);
        if (nanos > Long.MAX_VALUE - clock.now()) {
            throw new IllegalArgumentException("time has an end after 292 years: it cannot be moved by " + by);
        }
        perform(() -> { });
        Scheduler reactors = clock.followed();
        if (reactors != null) {
            ReactorTime.advance(reactors, by);
            perform(() -> { });
            return;
        }
        driving.lock();
        try {
            long target = clock.now() + nanos;
            for (long next = next(); next <= target; next = next()) {
                clock.moveTo(next);
                settle();
            }
            clock.moveTo(target);
        } finally {
            driving.unlock();
        }
        drive();
    }

    /** When something happens by itself. */
    private long next() {
        Event event = events.peek();
        long next = event == null ? NEVER : event.at;
        for (Driven each : loops) {
            next = Math.min(next, each.loop.nextDeadline());
        }
        return next;
    }

    private void settle() {
        do {
            told = false;
            int rounds = 0;
            long began = System.nanoTime();
            while (round()) {
                rounds++;
                if (rounds == MOST_ROUNDS || rounds % MANY_ROUNDS == 0 && System.nanoTime() - began > LONGEST_NANOS) {
                    IllegalStateException endless = livelock(rounds);
                    errors.accept(endless); // whoever has called may swallow it
                    throw endless;
                }
            }
            arm();
        } while (told);
    }

    private boolean round() {
        boolean worked = false;
        long now = clock.now();
        for (Event due = events.peek(); due != null && due.at <= now; due = events.peek()) {
            events.remove();
            worked = true;
            try {
                due.action.run();
            } catch (Throwable t) {
                errors.accept(t);
            }
        }
        for (Driven each : loops) {
            if (each.canWork(now)) {
                worked = true;
                each.loop.turn();
            }
        }
        return worked;
    }

    private static IllegalStateException livelock(int rounds) {
        return new IllegalStateException("the loops of the pair were busy " + rounds + " times while no time passed: with a"
                + " source without an end that nobody limits, or a retry() or repeat() without a pause. Take(n) of it, or give it"
                + " a pause");
    }

    /** Where Reactor's virtual time is followed, that calls when something is due. */
    private void arm() {
        Scheduler time = clock.followed();
        long next = time == null ? NEVER : next();
        if (time == armedOn && next == armedAt) {
            return;
        }
        Disposable before = armed;
        armed = null;
        armedOn = time;
        armedAt = next;
        if (before != null) {
            before.dispose();
        }
        if (time != null && next != NEVER) {
            Disposable made = ReactorTime.schedule(time, () -> due(time), next - clock.now());
            if (armedAt == next && armedOn == time) {
                armed = made;
            }
        }
    }

    /** Waits by Reactor's virtual time, which must not go on before what is due has happened. */
    private void due(Scheduler time) {
        if (driving.isHeldByCurrentThread()) {
            armedAt = NEVER;
            told = true;
            return;
        }
        driving.lock();
        try {
            if (armedOn == time) {
                armedAt = NEVER;
                armed = null;
            }
            settle();
        } finally {
            driving.unlock();
        }
        drive();
    }
}
