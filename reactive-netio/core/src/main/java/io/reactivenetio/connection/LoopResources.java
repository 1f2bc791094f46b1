// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.connection;

import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.receive.Inbound;
import io.reactivenetio.receive.ReassemblyBudget;
import io.reactivenetio.scheduler.LoopScheduler;
import io.reactivenetio.scheduler.SharedScheduler;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import reactor.core.scheduler.Scheduler;

/** What all connections of a loop share. Any thread, unless said otherwise. */
public final class LoopResources {
    private final EventLoop loop;
    private final LoopScheduler scheduler;
    private final Scheduler shared;
    private final ReassemblyBudget reassembly;
    private final KeptMemory kept = new KeptMemory(Long.MAX_VALUE);
    /** Streams that are over while messages of theirs still wait. Confined to the loop. */
    private final Set<Inbound> unread = new LinkedHashSet<>();

    LoopResources(EventLoop loop) {
        this.loop = loop;
        this.reassembly = new ReassemblyBudget(Long.MAX_VALUE, loop);
        this.scheduler = new LoopScheduler(loop);
        this.shared = new SharedScheduler(scheduler);
    }

    public EventLoop loop() {
        return loop;
    }

    /** The loop's Scheduler. Disposing of it does nothing. */
    public Scheduler scheduler() {
        return shared;
    }

    /** The memory of messages that have begun to arrive and not ended. On the loop. */
    public ReassemblyBudget reassembly() {
        return reassembly;
    }

    /** The memory that connections keep between large messages. */
    public KeptMemory kept() {
        return kept;
    }

    Set<Inbound> unread() {
        return unread;
    }

    /** Discards the messages that wait, and tells their subscribers: the loop ends, and nobody can ask for them any more. */
    void endUnread() {
        for (Inbound inbound : List.copyOf(unread)) {
            try {
                inbound.discard();
            } catch (Throwable t) {
                loop.report(t);
            }
        }
    }

    /** Ends the Scheduler, before the loop. */
    void endScheduler() {
        scheduler.dispose();
    }
}
