// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.framing.stream;

import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.send.page.DeliveryListener;
import io.reactivenetio.wire.FrameWriter;

/**
 * Sends PINGs and PONGs. A PONG says that everything before its PING has arrived. So whoever has to know that frames have arrived
 * waits here for the PONG of the next PING. On the loop.
 */
final class PingTracker implements PageScheduler.Control {
    private final PageScheduler pages;
    private final EventLoop loop;
    private final DeliveryListeners waiting = new DeliveryListeners();
    /** How many PINGs were sent: the number of the last one. */
    private long pings;
    private boolean pingDue;
    /** Whether another PING is due behind that one. */
    private boolean pingAgain;
    private boolean pongDue;
    private long pong;
    /** Whether a PONG to a later PING is due behind that one. */
    private boolean pongAgain;
    private long nextPong;
    private boolean queued;

    PingTracker(PageScheduler pages, EventLoop loop) {
        this.pages = pages;
        this.loop = loop;
    }

    /** Calls back when everything that is written so far has arrived; never, if the connection ends before. */
    void await(DeliveryListener listener) {
        waiting.add(listener, pings + (pingAgain ? 2 : 1));
        ping();
    }

    /** Calls back when all that has arrived which waits for a page now, too; never, if the connection ends before. */
    void awaitQueued(DeliveryListener listener) {
        pingAgain |= pingDue; // which may be written before the others
        await(listener);
    }

    /** How many wait for an answer, or waited until they were cancelled. */
    int waiting() {
        return waiting.size();
    }

    void ping() {
        pingDue = true;
        queue();
    }

    /** Answers a PING behind what waits for a page now. So the peer has heard of that when it has the answer. */
    void onPing(long value) {
        if (queued) {
            pongAgain = true;
            nextPong = value;
        } else {
            pongDue = true;
            pong = value;
            queue();
        }
    }

    void onPong(long value) {
        long answered = Math.min(value, pings);
        DeliveryListener next;
        while ((next = waiting.poll(answered)) != null) {
            try {
                next.delivered();
            } catch (Throwable t) { // a subscriber that throws at its end must not keep the others from theirs
                loop.report(t);
            }
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
        pongDue = false; // not again, if the PING does not fit
        if (pingDue) {
            if (!writer.ping(pings + 1)) {
                return false;
            }
            pings++;
            pingDue = false;
        }
        queued = false;
        if (pongAgain || pingAgain) {
            pongDue = pongAgain;
            pong = nextPong;
            pingDue = pingAgain;
            pongAgain = false;
            pingAgain = false;
            queue(); // behind what waits now
        }
        return true;
    }
}
