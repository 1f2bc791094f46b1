// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.framing.stream;

import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Operators;

/**
 * How many messages a stream asks the peer for: as many as its subscriber has requested. With a {@link Prefetch} it asks ahead,
 * in batches, for as many as that allows beyond what the subscriber has been given. On the loop.
 */
final class PrefetchWindow {
    /** The part of the window that has to be missing before more is asked for. Reactor's operators replenish likewise. */
    private static final int BATCHES = 4;
    /** How many requests are passed on exactly before it may adapt: {@code take(n)} makes one. */
    private static final int EXACT = 1;

    private final Prefetch prefetch;
    private final @Nullable AdaptiveReach reach;
    private int largest;
    private long arrived;
    private long requested;
    private long asked;
    private int requests;

    /** {@code nanoTime}: a clock in ns. */
    PrefetchWindow(Prefetch prefetch, LongSupplier nanoTime) {
        this.prefetch = prefetch;
        this.reach = prefetch.adaptive() ? new AdaptiveReach(prefetch.messages(), nanoTime) : null;
    }

    boolean isAhead() {
        return !prefetch.isNone();
    }

    /**
     * Whether a message of {@code bytes} may have memory of its own where {@code waiting} bytes wait already. One message always
     * may. The limit is doubled, because messages may be larger than any before.
     */
    boolean hasRoom(long waiting, int bytes) {
        return waiting == 0 || (waiting + bytes) / 2 <= prefetch.bytes();
    }

    /** The size of the largest message so far. */
    int largest() {
        return largest;
    }

    /** What so many messages take at most. */
    long bytesOf(int messages) {
        return (long) messages * largest;
    }

    /** Notes that messages of {@code bytes} each at most have arrived. */
    void arrived(int messages, int bytes) {
        largest = Math.max(largest, bytes);
        arrived += messages;
    }

    /**
     * Notes that the subscriber, which has been given {@code delivered} messages, requests {@code n} more. Returns how many to
     * ask the peer for. {@code within} is whether it does so while messages are delivered to it, so that what lies behind them
     * says nothing about its pace.
     */
    long requested(long n, long delivered, boolean within) {
        requested = Operators.addCap(requested, n);
        requests = Math.min(requests + 1, EXACT + 1);
        if (reach != null && requests > EXACT && !within) {
            if (arrived == delivered) {
                reach.starved(delivered, largest);
            } else {
                reach.found(arrived - delivered, delivered, largest);
            }
        }
        return ask(requested, 1);
    }

    /** Notes that the subscriber has been given {@code delivered} messages in all. Returns how many to ask the peer for. */
    long delivered(long delivered) {
        int most = prefetch.messages();
        if (reach != null) {
            reach.arrived(arrived);
            if (requests > EXACT && arrived == delivered && requested > delivered && requested != Long.MAX_VALUE) {
                reach.starved(delivered, largest);
            }
            most = reach.messages();
        }
        if (most == 0) {
            return 0;
        }
        long shown = Math.min(most, 2 * arrived); // the first messages show how large they are
        long window = Math.max(1, Math.min(prefetch.bytes() / Math.max(1, largest), shown));
        // a fixed window is filled; else what waits here keeps the subscriber busy, and one message is worth no exchange
        boolean fills = asked == (reach == null ? arrived : delivered);
        return ask(Operators.addCap(delivered, window), fills ? 1 : Math.max(1, window / BATCHES));
    }

    /** How many messages are missing to {@code upTo} in all, or 0 if that is less than {@code least}. */
    private long ask(long upTo, long least) {
        if (upTo - asked < least) {
            return 0;
        }
        if (reach != null && asked == arrived) {
            reach.asked(arrived);
        }
        long missing = upTo == Long.MAX_VALUE ? Long.MAX_VALUE : upTo - asked;
        asked = upTo;
        return missing;
    }
}
