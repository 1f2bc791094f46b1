// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.loop;

import io.reactivenetio.loop.fd.LoopFds;
import io.reactivenetio.loop.fd.LoopWait;
import io.reactivenetio.loop.task.CloseHooks;
import io.reactivenetio.loop.task.DelayEntry;
import io.reactivenetio.loop.task.DelayQueue;
import io.reactivenetio.loop.task.EndOfTurn;
import io.reactivenetio.loop.task.Failures;
import io.reactivenetio.loop.task.Inbox;
import io.reactivenetio.loop.task.LoopClock;
import io.reactivenetio.loop.task.LoopCounters;
import io.reactivenetio.loop.task.WakeUp;
import io.reactivenetio.loop.thread.Ownership;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** What an {@link EventLoop} is made of: put together, begun, and taken apart in the order that its parts need. */
final class LoopParts {
    final LoopStatistics statistics;
    final Failures failures;
    final CloseHooks closeHooks;
    final Epoll epoll;
    final LoopWait wait;
    /** What the plain TCP backends read and write with: the loop's own, or what its maker has made of it. */
    final LoopIo io;
    final WakeUp wakeUp;
    private final WakeUpReader wakeUpReader;
    final Inbox inbox;
    final WatchedFds signals;
    /** The timers are watched by readiness on every loop: what is read by completion may have been stopped since. */
    final WatchedFds timers;
    final DelayQueue delays;
    final Pollers pollers;
    final EndOfTurn endOfTurn;
    final Turn turn;

    /**
     * Takes over what was {@code opened}.
     *
     * @param onWork is called when there is something to do and nobody is awake to look for it; null for a loop with a thread
     * @param outside is called when something is asked of {@link #io}, for an embedder's thread may be about to sleep
     */
    LoopParts(EventLoopConfig config, LoopFds opened, LoopClock clock, Ownership ownership, @Nullable Runnable onWork,
            Runnable outside, UnaryOperator<LoopIo> sockets) {
        LoopCounters counters = new LoopCounters();
        statistics = new LoopStatistics(config.name(), counters);
        failures = new Failures(config.name(), counters);
        closeHooks = new CloseHooks(failures);
        epoll = new Epoll(opened.epoll(), config.maxEventsPerTurn(), ownership, failures);
        LoopIo readiness = new EpollLoopIo(epoll);
        LoopIo own = readiness;
        if (opened.ring() == null) {
            wait = epoll;
        } else {
            RingIo ring = new RingIo(opened.ring(), epoll, config.maxEventsPerTurn(), failures, outside);
            wait = ring;
            own = ring;
        }
        io = Objects.requireNonNull(sockets.apply(own), "io");
        wakeUp = new WakeUp(opened.wakeUp(), counters, onWork);
        wakeUpReader = new WakeUpReader(wakeUp, epoll, readiness, own == readiness ? null : own);
        inbox = new Inbox(clock, wakeUp, failures, counters);
        signals = new WatchedFds(ownership, inbox, own, failures);
        timers = new WatchedFds(ownership, inbox, readiness, failures);
        delays = new DelayQueue(clock, opened.delays(), ownership, inbox, failures, config.maxTasksPerTurn());
        signals.open(opened.delays(), 1, delays::runDue);
        pollers = new Pollers(failures);
        endOfTurn = new EndOfTurn(config.maxTasksPerTurn(), failures);
        turn = new Turn(clock, config, counters, wait, wakeUp, inbox, pollers, endOfTurn);
    }

    /** Any thread. Throws RejectedExecutionException if the loop has terminated. */
    DelayedTask schedule(Runnable task, long delayNanos) {
        Delayed delayed = new Delayed(delays);
        delays.schedule(delayed, task, delayNanos);
        return delayed;
    }

    /** Begins, on the thread that runs the loop, before its first turn. */
    void begin(boolean embedded) {
        wait.begin(embedded);
        wakeUpReader.begin(embedded);
        turn.begin();
    }

    /** Runs what was accepted and the close hooks, and closes all descriptors, each once, whatever those throw. */
    void close() {
        try {
            inbox.close();
            inbox.drain();
            endOfTurn.runLastPasses();
            delays.clear();
            closeHooks.run();
            endOfTurn.runLastPasses();
        } finally {
            signals.closeAll();
            timers.closeAll();
            wakeUpReader.close();
            wait.close();
        }
    }

    /** What a user can cancel. */
    private static final class Delayed extends DelayEntry implements DelayedTask {
        Delayed(DelayQueue queue) {
            super(queue);
        }
    }
}
