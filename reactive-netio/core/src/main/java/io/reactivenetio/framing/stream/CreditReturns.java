// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.framing.stream;

import io.reactivenetio.wire.CreditWindow;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The peer's pages that are here, and when their buffers are posted again: that is a credit, and not earlier. The backend posts a
 * buffer some time after it was given back, and says how many are posted, not which.
 */
final class CreditReturns {
    private final int buffers;
    private final Runnable changed;
    private final AtomicInteger releasedData = new AtomicInteger();
    private final AtomicInteger releasedControl = new AtomicInteger();
    private int received;
    private int toldData;
    private int toldControl;

    /** {@code buffers}: receive buffers in all. {@code changed} is called, on any thread, when one was given back. */
    CreditReturns(int buffers, Runnable changed) {
        this.buffers = buffers;
        this.changed = changed;
    }

    void received() {
        received++;
    }

    /** Pages that came and were not given back. */
    int kept() {
        return received - releasedData.get() - releasedControl.get();
    }

    /** Any thread. */
    void released(boolean data) {
        (data ? releasedData : releasedControl).incrementAndGet();
        changed.run();
    }

    /** Tells {@code credits} what is posted again, of {@code posted} in all. True if some that was given back is not yet. */
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
        for (; tell > 0 && toldData != data; tell--) {
            toldData++;
            credits.posted(true);
        }
        return late > 0;
    }
}
