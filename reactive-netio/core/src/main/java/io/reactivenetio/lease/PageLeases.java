// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.lease;

import io.reactivenetio.transport.ReceivedBuffer;
import org.jspecify.annotations.Nullable;

/** The leases that are out on messages of one page: together they hold its receive buffer. On the loop. */
public final class PageLeases {
    private @Nullable LeasedPage out;

    /** Adds one to those that are out; null if none are. */
    @Nullable LeasedPage join() {
        LeasedPage all = out;
        return all != null && all.join() ? all : null;
    }

    /** The first. */
    LeasedPage begin(ReceivedBuffer page) {
        LeasedPage all = new LeasedPage(page);
        out = all;
        return all;
    }

    /** Whether leases keep the page anyway; only a guess, because they may go at any time. */
    boolean areOut() {
        LeasedPage all = out;
        return all != null && all.isOut();
    }

    /** The next page's. */
    public void clear() {
        out = null;
    }
}
