// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.framing.stream;

import io.reactivenetio.connection.KeptMemory;
import io.reactivenetio.send.page.WaitingMessage;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Memory for what is left of messages whose first parts are in pages. Between messages it is kept here, and used for the next one
 * of any stream of the connection: 1 MiB in all, and larger ones as far as the loop allows it. On the loop.
 */
final class FragmentCopies {
    private static final int MOST_KEPT = 1 << 20;
    /** Memory that is more than so many times too large is given up. */
    private static final int WASTE = 8;

    private final KeptMemory large;
    private final ArrayDeque<WaitingMessage> spares = new ArrayDeque<>();
    /** Total capacity in bytes of the spares that the loop need not allow. */
    private int bytes;
    private boolean closed;

    FragmentCopies(KeptMemory large) {
        this.large = large;
    }

    /**
     * Memory with room for {@code left} bytes of a message of {@code size}, which belongs to the caller until it is given
     * back. If so much may be kept, it has room for all of the message.
     */
    WaitingMessage take(int left, int size) {
        WaitingMessage spare = poll();
        if (spare != null && capacity(spare) >= left && capacity(spare) / WASTE <= size) {
            return spare;
        }
        return new WaitingMessage(size <= MOST_KEPT || large.hasRoom(size) ? size : left, null);
    }

    private @Nullable WaitingMessage poll() {
        WaitingMessage spare = spares.pollLast();
        if (spare != null && capacity(spare) > MOST_KEPT) {
            large.release(capacity(spare));
        } else if (spare != null) {
            bytes -= capacity(spare);
        }
        return spare;
    }

    /** Takes memory back that nobody looks at any more. */
    void give(WaitingMessage message) {
        if (!closed && keep(capacity(message))) {
            spares.add(message);
        }
    }

    private boolean keep(int capacity) {
        if (capacity > MOST_KEPT) {
            return large.keep(capacity);
        }
        if (capacity > MOST_KEPT - bytes) {
            return false;
        }
        bytes += capacity;
        return true;
    }

    private static int capacity(WaitingMessage message) {
        return message.data().capacity();
    }

    /** Keeps nothing any more. */
    void close() {
        closed = true;
        while (poll() != null) {
            // gone
        }
    }
}
