// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.loop;

import java.util.Objects;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** What an {@link EventLoop} is made of: put together, begun, and taken apart in the order that its parts need. */
final class LoopParts {
    final Epoll epoll;
    final LoopWait wait;
    /** What the plain TCP backends read and write with: the loop's own, or what its maker has made of it. */
    final LoopIo io;
    final WakeUp wakeUp;
    final Inbox inbox;
    final WatchedFds signals;
    /** By readiness on every loop: what is read by completion may have been stopped since. */
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
    LoopParts(EventLoopConfig config, LoopFds opened, LoopClock clock, Ownership ownership, LoopStatistics statistics,
            Failures failures, @Nullable Runnable onWork, Runnable outside, UnaryOperator<LoopIo> sockets) {
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
        wakeUp = new WakeUp(opened.wakeUp(), readiness, own, statistics, onWork);
        inbox = new Inbox(wakeUp, failures, statistics);
        signals = new WatchedFds(ownership, inbox, own, failures);
        timers = new WatchedFds(ownership, inbox, readiness, failures);
        delays = new DelayQueue(clock, opened.delays(), ownership, inbox, failures, config.maxTasksPerTurn());
        signals.open(opened.delays(), 1, delays::runDue);
        pollers = new Pollers(failures);
        endOfTurn = new EndOfTurn(config.maxTasksPerTurn(), failures);
        turn = new Turn(clock, config, statistics, wait, wakeUp, inbox, pollers, endOfTurn);
    }

    /** By the thread that runs the loop, before its first turn. */
    void begin(boolean embedded) {
        wait.begin(embedded);
        wakeUp.begin(embedded);
        turn.begin();
    }

    /** Runs what was accepted and the close hooks, and closes all descriptors, each once, whatever those throw. */
    void close(CloseHooks hooks) {
        try {
            inbox.close();
            inbox.drain();
            endOfTurn.runLastPasses();
            delays.clear();
            hooks.run();
            endOfTurn.runLastPasses();
        } finally {
            signals.closeAll();
            timers.closeAll();
            wakeUp.close();
            wait.close();
        }
    }
}
