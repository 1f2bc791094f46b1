// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.framing.stream;

import java.util.function.LongSupplier;

/**
 * How many messages a stream asks the peer for ahead of its subscriber's demand, if that adapts: twice as many as the subscriber
 * takes within a round trip. So a fast subscriber never waits for the wire, and a slow one is ahead by one message. It doubles
 * while the subscriber waits for messages, as long as that makes it faster. It also doubles up to what the subscriber takes
 * within {@link #NEAR}, and halves where it is twice that and more than half of it waits for the subscriber. On the loop.
 */
final class AdaptiveReach {
    /** How far it grows before it is known whether that helps: the first messages may find code that is not compiled. */
    private static final int AT_ONCE = 1_024;
    /** The most bytes that a stream asks for at once: large messages that came ahead in vain would take much memory. */
    private static final long AT_ONCE_BYTES = 256 * 1024;
    /** A round trip that took longer counts by this part, since the sender may have had nothing to send. */
    private static final int PART = 8;

    /**
     * In ns: so much of the subscriber's time one exchange with the peer is to bring, however near the peer is. An exchange wakes
     * both ends, which costs as much as many messages. A subscriber that answers on another thread takes few in a round trip.
     */
    private static final long NEAR = 4_000_000;

    private final int most;
    private final LongSupplier nanoTime;
    private int messages;
    private boolean asking;
    private long askedAt;
    private long before;
    private long tripNanos;
    private long grownAt;
    private long deliveredThen;
    private long lookedAt;
    private long deliveredBefore;

    /** {@code nanoTime}: a clock in ns; {@code most}: messages. */
    AdaptiveReach(int most, LongSupplier nanoTime) {
        this.most = most;
        this.nanoTime = nanoTime;
    }

    int messages() {
        return messages;
    }

    /** Notes that the peer is asked for messages while it owes none, after {@code arrived} have arrived. */
    void asked(long arrived) {
        asking = true;
        before = arrived;
        askedAt = nanoTime.getAsLong();
    }

    /** Notes that {@code arrived} messages have arrived in all. */
    void arrived(long arrived) {
        if (asking && arrived > before) {
            asking = false;
            long trip = nanoTime.getAsLong() - askedAt;
            tripNanos = tripNanos == 0 || trip < tripNanos ? trip : tripNanos + (trip - tripNanos) / PART;
        }
    }

    /**
     * Notes that the subscriber, which has been given {@code delivered} messages of {@code largest} bytes at most, wants more,
     * and none is here.
     */
    void starved(long delivered, int largest) {
        long now = nanoTime.getAsLong();
        long nanos = now - grownAt;
        if (messages > 0 && nanos < tripNanos) {
            return; // what was asked for since cannot be here yet
        }
        long inOneTrip = (long) ((double) (delivered - deliveredThen) * tripNanos / Math.max(1, nanos));
        if (isSmall(largest) || 2 * inOneTrip >= messages) {
            grow();
        }
        grownAt = now;
        deliveredThen = delivered;
    }

    /**
     * Notes that {@code waiting} messages wait for the subscriber, which has been given {@code delivered} of {@code largest}
     * bytes at most, when it asks for more.
     */
    void found(long waiting, long delivered, int largest) {
        long now = nanoTime.getAsLong();
        long nanos = now - lookedAt;
        if (nanos < NEAR) {
            return; // its pace is not known yet
        }
        long nearby = (long) ((double) (delivered - deliveredBefore) * NEAR / nanos);
        if (messages < nearby && isSmall(largest)) {
            grow();
        } else if (2 * waiting > messages && messages > 2 * nearby) {
            messages = Math.max(1, messages / 2);
        }
        lookedAt = now;
        deliveredBefore = delivered;
    }

    /** Whether being ahead by so many would be no loss if they were in vain. */
    private boolean isSmall(int largest) {
        return messages < AT_ONCE && (long) messages * largest < AT_ONCE_BYTES;
    }

    private void grow() {
        messages = Math.clamp(2L * messages, 1, most);
    }
}
