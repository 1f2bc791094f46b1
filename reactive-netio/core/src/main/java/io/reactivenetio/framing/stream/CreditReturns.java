// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.framing.stream;

import io.reactivenetio.wire.CreditWindow;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Counts the peer's pages that are here, and tells the peer's credits when their buffers are posted again. Only then is a buffer
 * a credit: the backend posts it some time after it was given back. The backend says how many buffers are posted, not which.
 */
final class CreditReturns {
    private final int buffers;
    private final Runnable changed;
    private final AtomicInteger releasedData = new AtomicInteger();
    private final AtomicInteger releasedControl = new AtomicInteger();
    private int received;
    private int toldData;
    private int toldControl;
    /** Whether the peer is told no credits for data, because it is to wait. */
    private boolean withheld;

    /** Tracks {@code buffers} receive buffers. {@code changed} is called, on any thread, when a buffer was given back. */
    CreditReturns(int buffers, Runnable changed) {
        this.buffers = buffers;
        this.changed = changed;
    }

    /** From now on the peer is told no credits for data, or those that it was not told meanwhile. On the loop. */
    void withhold(boolean wait) {
        withheld = wait;
        if (!wait) {
            changed.run();
        }
    }

    void received() {
        received++;
    }

    /** How many pages have come and were not given back. */
    int kept() {
        return received - releasedData.get() - releasedControl.get();
    }

    /** Counts a page, of messages ({@code data}) or of control frames alone, that was given back. Any thread. */
    void released(boolean data) {
        (data ? releasedData : releasedControl).incrementAndGet();
        changed.run();
    }

    /**
     * Tells {@code credits} which buffers are posted again; {@code posted} are posted in all. Returns true if a buffer that was
     * given back is not posted yet.
     */
    boolean settle(CreditWindow credits, int posted) {
        int data = releasedData.get();
        int control = releasedControl.get();
        int kept = received - data - control;
        int late = Math.max(0, buffers - posted - kept);
        int tell = data - toldData + control - toldControl - late;
        for (; tell > 0 && toldControl != control; tell--) {
            toldControl++;
            credits.posted(false);
        }
        for (; tell > 0 && toldData != data && !withheld; tell--) {
            toldData++;
            credits.posted(true);
        }
        return late > 0;
    }
}
