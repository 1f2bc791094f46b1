// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.lease;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The leases that are out on messages of one page: together they hold its receive buffer. They begin with the first, and are over
 * with the last, even if the page has further messages. On the loop.
 *
 * <p>While messages are being delivered the loop holds leases in advance, so that one more costs nothing that other threads see.
 * {@link #settle} gives back those that were not needed.
 */
public final class PageLeases {
    /** More than a page has messages. */
    private static final int IN_ADVANCE = 1 << 20;

    private @Nullable LeasedBuffer out;
    private int generation;
    private LeasedBuffer.@Nullable Handle holder;
    private int inAdvance;
    private @Nullable ByteBuffer readOnly;

    /** Adds one to those that are out; null if none are. */
    LeasedBuffer.@Nullable Handle join() {
        if (inAdvance == 0) {
            LeasedBuffer all = out;
            holder = all == null ? null : all.join(generation, IN_ADVANCE);
            if (holder == null) {
                return null;
            }
            inAdvance = IN_ADVANCE;
        }
        inAdvance--;
        return holder;
    }

    /** The first lease on a message of this page is counted by {@code free}, where none is out. */
    void begin(LeasedBuffer.Handle free, OpenLeases owner, ReceivedMessage message, String origin) {
        out = free.buffer();
        generation = free.buffer().begin(owner, message.page(), origin, IN_ADVANCE);
        holder = free;
        inAdvance = IN_ADVANCE - 1;
    }

    int generation() {
        return generation;
    }

    /** The page's memory, read-only. */
    ByteBuffer memory(ReceivedMessage message, ByteOrder order) {
        ByteBuffer page = readOnly;
        if (page == null) {
            page = message.page().data().asReadOnlyBuffer().order(order);
            readOnly = page;
        }
        return page;
    }

    /** Whether leases keep the page anyway; only a guess, because they may go at any time. */
    boolean areOut() {
        LeasedBuffer all = out;
        return all != null && all.isOut(generation);
    }

    /** No message is being delivered now. */
    public void settle() {
        int unused = inAdvance;
        if (unused > 0) {
            LeasedBuffer.Handle from = Objects.requireNonNull(holder);
            inAdvance = 0;
            holder = null; // else leases of this page could not be found lost
            from.leave(unused);
        }
    }

    /** The next page's. */
    public void clear() {
        settle();
        out = null;
        readOnly = null;
    }
}
