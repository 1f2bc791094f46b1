// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.simulation;

import io.reactivenetio.connection.Connection;
import io.reactivenetio.framing.stream.StreamProbe;
import io.reactivenetio.framing.stream.StreamSession;
import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.loop.SimulatedLoop;
import io.reactivenetio.simulated.SimulatedEndpoint;
import java.util.HashMap;
import java.util.Map;

/** What connections and loops keep grows with what has arrived and what is under way, not with what was said or once done. */
final class Growth {
    /** Times what has arrived of messages in parts that they may take. */
    private static final int TIMES = 4;
    /** Bytes that such a message may take though less of it has come. */
    private static final int LEAST = 4096;
    /** Tasks for the loop that may come from whatever else happens meanwhile. */
    private static final int OTHER_TASKS = 10;
    /** Until what was said has come through any network. */
    private static final long ARRIVES_NANOS = 2_000_000_000L;

    /** What has come to one end since it had no message in parts. */
    private static final class Unfinished {
        private long bytes;
        private long pages;
        private long held;
        private long largest;

        /** The most that may be held: what has come, a first part in each page, and what is kept for the next such message. */
        long most() {
            return TIMES * bytes + LEAST * pages + largest;
        }
    }

    private final VirtualMachine machine;
    private final Map<SimulatedEndpoint, Unfinished> ends = new HashMap<>();

    Growth(VirtualMachine machine) {
        this.machine = machine;
    }

    /** A message of so many bytes has been given to the library. On the loop. */
    void delivered(SimulatedEndpoint end, int bytes) {
        if (!(end.handle().callbacks() instanceof Connection engine) || !(engine.session() instanceof StreamSession)) {
            return;
        }
        Unfinished unfinished = ends.computeIfAbsent(end, key -> new Unfinished());
        if (unfinished.held == 0) {
            unfinished.bytes = 0;
            unfinished.pages = 0;
        }
        unfinished.bytes += bytes;
        unfinished.pages++;
        unfinished.held = StreamProbe.unfinishedMemory(engine);
        if (unfinished.held > unfinished.most()) {
            machine.violated("memory grows with what is announced: " + end + " holds " + unfinished.held
                    + " bytes for messages in parts, of which no more than " + unfinished.bytes + " have come");
        }
        unfinished.largest = Math.max(unfinished.largest, unfinished.held);
    }

    /** No tag is known there but those in use. */
    void checkTags(SimulatedEndpoint end, int inUse) {
        if (end.isEstablished() && end.handle().callbacks() instanceof Connection engine
                && engine.session() instanceof StreamSession && StreamProbe.ports(engine) > inUse) {
            machine.violated("tags are kept: " + end + " knows " + StreamProbe.ports(engine) + ", and " + inUse + " are in use");
        }
    }

    /** Something is done so many times in so many nanoseconds; that must not leave as many delayed tasks on the peer's loop. */
    void checkDelays(SimulatedLoop peer, int times, long nanos, String what) {
        int before = peer.delayedTasks();
        machine.after(nanos + ARRIVES_NANOS, () -> {
            int tasks = peer.delayedTasks() - before;
            if (tasks > OTHER_TASKS + times / TIMES) {
                machine.violated("delayed tasks pile up: " + tasks + " for " + times + " times " + what);
            }
        });
    }

    /** {@code repeated} does one thing so many times, from another thread; that must not be as many tasks for the loop. */
    void checkTasks(EventLoop loop, int times, String what, Runnable repeated) {
        long[] before = new long[1];
        loop.execute(() -> before[0] = loop.statistics().tasksRun());
        repeated.run();
        loop.execute(() -> {
            long tasks = loop.statistics().tasksRun() - before[0] - 1;
            if (tasks > OTHER_TASKS + times / TIMES) {
                machine.violated("tasks pile up: " + tasks + " for " + times + " times " + what);
            }
        });
    }
}
