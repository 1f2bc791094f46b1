// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.framing.stream;

import java.util.LinkedHashSet;
import java.util.SequencedSet;

/** What the peer allows of messages in parts that have begun and not ended, for all streams that send. On the loop. */
final class RoomAtPeer {
    private final long budget;
    /** In turn: a large message must not wait for ever because others always fit. */
    private final SequencedSet<PageScheduler.Data> waiting = new LinkedHashSet<>();
    private long reserved;

    /** {@code budget}: bytes. */
    RoomAtPeer(long budget) {
        this.budget = budget;
    }

    /** Room for a message in parts; if there is none now, the stream becomes ready when there may be. */
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

    /** It does not wait for room, or not any more: the next may have some. */
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
