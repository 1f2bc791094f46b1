// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.stream;

import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.wire.FrameWriter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * PINGs and PONGs. A PONG says that everything before its PING has arrived: so who wants to know that about what it has written
 * waits here for the PONG of the next PING. On the loop.
 */
final class Confirmations implements PageSender.Control {
    private record Asked(long ping, List<Runnable> waiting) {
    }

    private final PageSender pages;
    private final EventLoop loop;
    private final Deque<Asked> asked = new ArrayDeque<>();
    private List<Runnable> next = new ArrayList<>();
    private long pings;
    private boolean pingDue;
    private boolean pongDue;
    private long pong;
    private boolean queued;

    Confirmations(PageSender pages, EventLoop loop) {
        this.pages = pages;
        this.loop = loop;
    }

    /** Calls back when all that is written so far has arrived; never, if the connection ends before. */
    void await(Runnable then) {
        next.add(then);
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
        for (Asked first = asked.peek(); first != null && first.ping <= value; first = asked.peek()) {
            asked.remove();
            first.waiting.forEach(this::tell);
        }
    }

    private void tell(Runnable waiting) {
        try {
            waiting.run();
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
            if (!next.isEmpty()) {
                asked.add(new Asked(pings, next));
                next = new ArrayList<>();
            }
        }
        queued = false;
        return true;
    }
}
