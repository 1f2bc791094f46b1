// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.stream;

import reactor.core.publisher.Operators;

/**
 * How many messages a stream asks the peer for: what its subscriber has asked for, and with a {@link Prefetch} as many as that
 * allows beyond what the subscriber has been given, in batches. On the loop.
 */
final class DemandWindow {
    /** Of the window: as much has to be missing before more is asked for. Reactor's operators replenish likewise. */
    private static final int BATCHES = 4;

    private final Prefetch prefetch;
    private int largest;
    private boolean arrived;
    private long requested;
    private long asked;

    /** {@code largest}: bytes of a message, as far as is known before one has arrived. */
    DemandWindow(Prefetch prefetch, int largest) {
        this.prefetch = prefetch;
        this.largest = largest;
    }

    boolean isAhead() {
        return !prefetch.isNone();
    }

    /** Bytes that messages which the subscriber has not asked for may have on the heap. */
    long bytes() {
        return prefetch.bytes();
    }

    /** A message of so many bytes is here. */
    void arrived(int bytes) {
        largest = arrived ? Math.max(largest, bytes) : bytes;
        arrived = true;
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
        long window = Math.clamp(prefetch.bytes() / Math.max(1, largest), 1, prefetch.messages());
        return ask(Operators.addCap(delivered, window), Math.max(1, window / BATCHES));
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
