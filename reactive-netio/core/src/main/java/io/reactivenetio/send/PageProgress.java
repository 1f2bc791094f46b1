// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.send;

import io.reactivenetio.loop.EventLoop;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.Queue;

/**
 * How far the pages of a connection have come: up to which one they have left, or have been acknowledged, in the order in which
 * they were posted. Pages have numbers from 1 on. On the loop.
 */
public final class PageProgress {
    private record Waiting(long page, Runnable then) {
    }

    private final EventLoop loop;
    private final Queue<Waiting> waiting = new PriorityQueue<>(Comparator.comparingLong(Waiting::page));
    private long next = 1;
    private long completed;

    public PageProgress(EventLoop loop) {
        this.loop = loop;
    }

    /** The number of the next page, which may be being written. */
    public long next() {
        return next;
    }

    /** That page is full, or about to be posted. */
    public void nextPage() {
        next++;
    }

    /** The number of the last page that has come so far. */
    public long completed() {
        return completed;
    }

    /** Calls back when this page has come so far; never, if the connection ends before. */
    void await(long page, Runnable then) {
        waiting.add(new Waiting(page, then));
    }

    /** All pages up to this one have come so far. */
    public void complete(long page) {
        completed = Math.max(completed, page);
        Waiting first;
        while ((first = waiting.peek()) != null && first.page() <= completed) {
            waiting.remove();
            try {
                first.then().run();
            } catch (Throwable t) { // a subscriber that throws at its end must not keep the others from theirs
                loop.report(t);
            }
        }
    }
}
