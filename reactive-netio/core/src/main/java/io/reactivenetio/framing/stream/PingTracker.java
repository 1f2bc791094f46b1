// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.framing.stream;

import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.wire.FrameWriter;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * PINGs and PONGs. A PONG says that everything before its PING has arrived: so who wants to know that about what it has written
 * waits here for the PONG of the next PING. On the loop.
 */
final class PingTracker implements PageScheduler.Control {
    /** Comes after those who wait for the same PONG. */
    private static final Runnable PING = PingTracker::nobody;

    private final PageScheduler pages;
    private final EventLoop loop;
    /** Who waits, in order; behind the last PING those who wait for the next. */
    private final Deque<Runnable> waiting = new ArrayDeque<>();
    private long pings;
    private long pongs;
    private boolean pingDue;
    private boolean pongDue;
    private long pong;
    private boolean queued;

    PingTracker(PageScheduler pages, EventLoop loop) {
        this.pages = pages;
        this.loop = loop;
    }

    private static void nobody() {
        // waits
    }

    /** Calls back when all that is written so far has arrived; never, if the connection ends before. */
    void await(Runnable then) {
        waiting.add(then);
        ping();
    }

    void ping() {
        pingDue = true;
        queue();
    }

    void onPing(long value) {
        pongDue = true;
        pong = value;
        queue();
    }

    void onPong(long value) {
        while (pongs < Math.min(value, pings)) {
            Runnable next = waiting.remove();
            if (next == PING) {
                pongs++;
            } else {
                tell(next);
            }
        }
    }

    private void tell(Runnable whoWaits) {
        try {
            whoWaits.run();
        } catch (Throwable t) { // a subscriber that throws at its end must not keep the others from theirs
            loop.report(t);
        }
    }

    private void queue() {
        if (!queued) {
            queued = true;
            pages.add(this);
        }
    }

    @Override
    public boolean write(FrameWriter writer) {
        if (pongDue && !writer.pong(pong)) {
            return false;
        }
        pongDue = false;
        if (pingDue) {
            if (!writer.ping(pings + 1)) {
                return false;
            }
            pings++;
            pingDue = false;
            waiting.add(PING);
        }
        queued = false;
        return true;
    }
}
