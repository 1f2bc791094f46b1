// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.send.page;

import io.reactivenetio.loop.EventLoop;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.Queue;

/**
 * Tracks up to which page a connection's pages have left, or have been acknowledged. They do so in the order in which they were
 * posted. Pages are numbered from 1 on. On the loop.
 */
public final class PageProgress {
    private record Waiter(long page, DeliveryListener listener) {
    }

    private final EventLoop loop;
    private final Queue<Waiter> waiters = new PriorityQueue<>(Comparator.comparingLong(Waiter::page));
    private long next = 1;
    private long completed;

    public PageProgress(EventLoop loop) {
        this.loop = loop;
    }

    /** The number of the next page, which may be being written. */
    public long next() {
        return next;
    }

    /** Goes on to the next number, because the page is full or about to be posted. */
    public void nextPage() {
        next++;
    }

    /** The number of the last page that has left, or was acknowledged. */
    public long completed() {
        return completed;
    }

    /** Calls back when this page has left, or is acknowledged; never, if the connection ends before. */
    void await(long page, DeliveryListener listener) {
        waiters.add(new Waiter(page, listener));
    }

    /** Notes that all pages up to this one have left, or are acknowledged. */
    public void complete(long page) {
        completed = Math.max(completed, page);
        Waiter first;
        while ((first = waiters.peek()) != null && first.page() <= completed) {
            waiters.remove();
            try {
                first.listener().delivered();
            } catch (Throwable t) { // a subscriber that throws at its end must not keep the others from theirs
                loop.report(t);
            }
        }
    }
}
