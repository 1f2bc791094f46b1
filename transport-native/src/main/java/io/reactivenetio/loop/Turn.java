// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.loop;

import io.reactivenetio.loop.fd.LoopWait;
import io.reactivenetio.loop.task.EndOfTurn;
import io.reactivenetio.loop.task.Inbox;
import io.reactivenetio.loop.task.LoopClock;
import io.reactivenetio.loop.task.LoopCounters;
import io.reactivenetio.loop.task.WakeUp;
import io.reactivenetio.loop.thread.LoopLog;
import io.reactivenetio.loop.thread.LoopWatchdog;
import io.reactivenetio.loop.thread.Spin;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * One round of the loop: tasks, pollers, end-of-turn tasks, the decision whether to sleep; then waiting, and dispatching what
 * became ready. Loop thread only. Allocates nothing.
 */
final class Turn {
    private static final Logger LOG = LoopLog.LOG;
    private static final long LOG_INTERVAL_NANOS = 1_000_000_000;
    /** A turn that does not wait asks epoll only this long after the last time: the question is a system call. */
    private static final long LOOK_NANOS = 10_000;
    /**
     * While the pollers find work in every turn, a turn takes longer than that, and the answer is mostly the descriptors of those
     * very pollers: then it is asked only after so many turns, or so long.
     */
    private static final int BUSY_TURNS = 8;
    private static final long BUSY_LOOK_NANOS = 1_000_000;

    private final LoopClock clock;
    private final EventLoopConfig config;
    private final LoopCounters counters;
    private final LoopWait wait;
    private final WakeUp wakeUp;
    private final Inbox inbox;
    private final Pollers pollers;
    private final EndOfTurn endOfTurn;
    private final Spin spin;
    private long startedNanos;
    private long lastWorkNanos;
    private long nextLogNanos;
    private long endedNanos;
    private long lookedNanos;
    private long sleptNanos;
    private boolean dispatched;
    private boolean moreReady;
    private boolean slept;
    private boolean ranOut;
    private boolean spun;
    private LoopWatchdog.@Nullable Watch watch;
    private int busyTurns;

    Turn(LoopClock clock, EventLoopConfig config, LoopCounters counters, LoopWait wait, WakeUp wakeUp, Inbox inbox,
            Pollers pollers, EndOfTurn endOfTurn) {
        this.clock = clock;
        this.config = config;
        this.counters = counters;
        this.wait = wait;
        this.wakeUp = wakeUp;
        this.inbox = inbox;
        this.pollers = pollers;
        this.endOfTurn = endOfTurn;
        this.spin = new Spin(config.spinNanos(), config.adaptiveSpinNanos(), config.taskSpinNanos());
        startedNanos = clock.nanoTime();
        lastWorkNanos = startedNanos;
        nextLogNanos = startedNanos;
        endedNanos = startedNanos;
        lookedNanos = startedNanos;
    }

    /** Time spent elsewhere, before the loop had a thread, is no part of the first turn. */
    void begin() {
        wakeUp.awake();
        startedNanos = clock.nanoTime();
    }

    /** When this turn began, its wait not included. */
    long startedNanos() {
        return startedNanos;
    }

    /** Waits until something is ready if {@code maySleep}, else only looks, and dispatches it. */
    void await(boolean maySleep) {
        int ready = wait.await(maySleep);
        begin();
        lookedNanos = startedNanos;
        busyTurns = 0;
        slept = maySleep;
        if (maySleep && wakeUp.wokenNanos() != 0) {
            spin.wokenUp(startedNanos - wakeUp.wokenNanos());
        }
        dispatched = ready > 0;
        wait.dispatch(ready);
        moreReady = wait.hasMore();
    }

    /** Awaits as {@link #await} does, but not in every turn while the loop is busy or spins. Not if it is polled from outside. */
    void awaitOrGoOn(boolean maySleep) {
        if (maySleep || moreReady || wait.hasWork() || shouldLook()) {
            await(maySleep);
        } else {
            startedNanos = endedNanos;
            dispatched = false;
            slept = false;
        }
    }

    private boolean shouldLook() {
        if (spun && pollers.isEmpty()) {
            return true; // nothing else could tell of anything but tasks
        }
        long sinceLook = endedNanos - lookedNanos;
        return busyTurns == 0 ? sinceLook >= LOOK_NANOS : busyTurns >= BUSY_TURNS || sinceLook >= BUSY_LOOK_NANOS;
    }

    /**
     * Does all that is to be done without waiting. Returns true if the loop may sleep on its epoll descriptor: it has published
     * so, and whoever has work for it from now on will wake it. With {@code maySpin} it first has the loop look for work as long
     * as it was told to.
     */
    boolean work(boolean maySpin) {
        counters.countTurn();
        boolean ranTasks = inbox.run(config.maxTasksPerTurn()) > 0;
        boolean polled = pollers.pollAll();
        busyTurns = polled ? busyTurns + 1 : 0;
        boolean ranLast = endOfTurn.runPass();
        long now = clock.nanoTime();
        if (now - startedNanos > config.slowTurnNanos()) {
            reportSlowTurn(now);
        }
        boolean worked = dispatched || ranTasks || polled || ranLast;
        noteWork(worked, ranTasks && !polled, now);
        boolean spins = maySpin && now - lastWorkNanos < spin.nanos();
        spun = spins && !worked;
        if (spun) {
            spin(now - endedNanos);
        } else {
            counters.countBusy(now - startedNanos);
        }
        endedNanos = now;
        if (polled || spins || hasWork() || !pollers.mayWait()) {
            return false;
        }
        wakeUp.sleep();
        if (hasWork()) {
            wakeUp.awake();
            return false;
        }
        ranOut = true;
        sleptNanos = now;
        return true;
    }

    private void noteWork(boolean worked, boolean ofTasks, long now) {
        if (worked) {
            if (ranOut) {
                spin.worked(startedNanos - lastWorkNanos, (slept ? sleptNanos : startedNanos) - lastWorkNanos, ofTasks);
            }
            lastWorkNanos = now;
        }
        ranOut = !worked;
    }

    /** A method of its own, by whose name those who watch for calls that block can let it pass. */
    private void spin(long nanos) {
        counters.countSpin(nanos);
        spin.lookedInVain(nanos);
        Thread.onSpinWait();
    }

    boolean hasWork() {
        return !endOfTurn.isEmpty() || !inbox.isEmpty() || inbox.isClosed();
    }

    /** Has the loop, which runs on the calling thread, watched. The caller closes the watch. */
    LoopWatchdog.Watch watched() {
        LoopWatchdog.Watch made = LoopWatchdog.watch(config.name(), config.slowTurnNanos(), counters::turns,
                wakeUp::isAsleep, Thread.currentThread());
        watch = made;
        return made;
    }

    /** What the loop is at. */
    void working(@Nullable Object on) {
        if (watch != null) {
            watch.working(on);
        }
    }

    private void reportSlowTurn(long now) {
        counters.countSlowTurn();
        if (watch != null && watch.hasTold(counters.turns())) {
            LOG.warn("That turn of event loop {} took {} ms in the end", config.name(), (now - startedNanos) / 1_000_000);
            return;
        }
        if (watch != null && watch.isExcused(counters.turns())) {
            LOG.debug("A turn of event loop {} took {} us while the program started or classes were loaded", config.name(),
                    (now - startedNanos) / 1000);
        } else if (now - nextLogNanos >= 0) {
            nextLogNanos = now + LOG_INTERVAL_NANOS;
            LOG.warn("A turn of event loop {} took {} us (slow turns so far: {}): a callback took too long, or no CPU was free",
                    config.name(), (now - startedNanos) / 1000, counters.slowTurns());
        }
    }
}
