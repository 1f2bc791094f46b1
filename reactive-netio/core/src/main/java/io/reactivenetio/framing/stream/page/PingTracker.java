// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.framing.stream.page;

import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.wire.FrameWriter;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Sends PINGs and PONGs. A PONG says that everything before its PING has arrived. So whoever has to know that frames have arrived
 * waits here for the PONG of the next PING. On the loop.
 */
public final class PingTracker implements PageScheduler.Control {
    /** The entry in the queue for a PING that was sent. It comes after those who wait for its PONG. */
    private static final Runnable PING = PingTracker::nobody;

    private final PageScheduler pages;
    private final EventLoop loop;
    /** Those who wait, in order, with an entry for each PING; those behind the last PING wait for the next one. */
    private final Deque<Runnable> waiting = new ArrayDeque<>();
    private long pings;
    private long pongs;
    private boolean pingDue;
    private boolean pongDue;
    private long pong;
    private boolean queued;

    public PingTracker(PageScheduler pages, EventLoop loop) {
        this.pages = pages;
        this.loop = loop;
    }

    private static void nobody() {
        // only marks a place in the queue
    }

    /** Calls back when everything that is written so far has arrived; never, if the connection ends before. */
    public void await(Runnable then) {
        waiting.add(then);
        ping();
    }

    public void ping() {
        pingDue = true;
        queue();
    }

    public void onPing(long value) {
        pongDue = true;
        pong = value;
        queue();
    }

    public void onPong(long value) {
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
