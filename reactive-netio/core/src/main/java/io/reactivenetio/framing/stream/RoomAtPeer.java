// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.framing.stream;

import java.util.LinkedHashSet;
import java.util.SequencedSet;

/** The peer's room for messages in parts that have begun and not ended, shared by all streams that it receives. On the loop. */
final class RoomAtPeer {
    private final long budget;
    /** The streams that wait for room, in turn: a large message must not wait for ever because small ones always fit. */
    private final SequencedSet<PageScheduler.Data> waiting = new LinkedHashSet<>();
    private long reserved;

    /** Room for {@code budget} bytes. */
    RoomAtPeer(long budget) {
        this.budget = budget;
    }

    /**
     * Reserves room for a message in parts. Returns false if there is none now; then the stream is made ready when there may be.
     */
    boolean reserve(int bytes, PageScheduler.Data stream) {
        boolean first = waiting.isEmpty() || waiting.getFirst() == stream;
        if (!first || bytes > budget - reserved) {
            waiting.add(stream);
            return false;
        }
        reserved += bytes;
        leave(stream);
        return true;
    }

    void release(int bytes) {
        reserved -= bytes;
        wakeFirst();
    }

    /** Notes that a stream does not wait for room, or not any more; the next one may have some. */
    void leave(PageScheduler.Data stream) {
        if (waiting.remove(stream)) {
            wakeFirst();
        }
    }

    private void wakeFirst() {
        if (!waiting.isEmpty()) {
            waiting.getFirst().makeReady();
        }
    }
}
