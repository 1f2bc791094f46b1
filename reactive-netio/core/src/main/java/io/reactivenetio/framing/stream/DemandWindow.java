// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.framing.stream;

import reactor.core.publisher.Operators;

/**
 * How many messages a stream asks the peer for: what its subscriber has asked for, and with a {@link Prefetch} as many as that
 * allows beyond what the subscriber has been given, in batches. On the loop.
 */
final class DemandWindow {
    /** Of the window: as much has to be missing before more is asked for. Reactor's operators replenish likewise. */
    private static final int BATCHES = 4;
    /**
     * As many times as have arrived may be asked for at first, until it is known how large the messages are. Each step takes the
     * way to the peer and back, so that few steps are better than many. What the peer sends beyond the limit stays in its pages.
     */
    private static final int RAMP = 64;

    private final Prefetch prefetch;
    private int largest;
    private long arrived;
    private long requested;
    private long asked;

    DemandWindow(Prefetch prefetch) {
        this.prefetch = prefetch;
    }

    boolean isAhead() {
        return !prefetch.isNone();
    }

    /**
     * Whether a message of so many bytes may have memory of its own, where {@code waiting} bytes wait already: one always, and
     * twice the limit, since messages may be larger than any before.
     */
    boolean hasRoom(long waiting, int bytes) {
        return waiting == 0 || (waiting + bytes) / 2 <= prefetch.bytes();
    }

    /** A message of so many bytes is here. */
    void arrived(int bytes) {
        largest = Math.max(largest, bytes);
        arrived++;
    }

    /** The subscriber wants {@code n} more: so many are to be asked for. */
    long requested(long n) {
        requested = Operators.addCap(requested, n);
        return ask(requested, 1);
    }

    /** The subscriber has been given {@code delivered} in all: so many are to be asked for. */
    long delivered(long delivered) {
        if (prefetch.isNone()) {
            return 0;
        }
        long most = Math.min(prefetch.messages(), RAMP * arrived);
        long window = Math.max(1, Math.min(prefetch.bytes() / Math.max(1, largest), most));
        return ask(Operators.addCap(delivered, window), asked == arrived ? 1 : Math.max(1, window / BATCHES));
    }

    /** What is missing to {@code upTo} messages in all, if that is {@code least} or more. */
    private long ask(long upTo, long least) {
        if (upTo - asked < least) {
            return 0;
        }
        long missing = upTo == Long.MAX_VALUE ? Long.MAX_VALUE : upTo - asked;
        asked = upTo;
        return missing;
    }
}
