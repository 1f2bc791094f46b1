// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.framing.stream;

import io.reactivenetio.send.page.DeliveryListener;
import io.reactivenetio.send.page.DeliveryTracker;

/**
 * Tracks which messages of a send the peer has, by PINGs: now and then while the send goes on, and at its end. It belongs to one
 * sender; the pings are the connection's. Made on any thread, then on the loop.
 */
final class PingDelivery implements DeliveryTracker, DeliveryListener {
    /**
     * How many messages, and below how many bytes, are sent before the peer is asked again. That is the precision of the count in
     * an error.
     */
    private static final int STRETCH = 4096;
    private static final int STRETCH_BYTES = 4 * 1024 * 1024;

    private final PingTracker pings;
    private long written;
    private long bytesSinceAsked;
    private long askedAbout;
    private long known;
    private boolean forgotten;

    PingDelivery(PingTracker pings) {
        this.pings = pings;
    }

    @Override
    public boolean untilDelivered() {
        return true;
    }

    @Override
    public void written(int messages, long bytes) {
        written += messages;
        bytesSinceAsked += bytes;
        if (askedAbout == known && (written - askedAbout >= STRETCH || bytesSinceAsked >= STRETCH_BYTES)) {
            askedAbout = written;
            bytesSinceAsked = 0;
            pings.await(this);
        }
    }

    /** The peer has the messages that it was asked about while the send went on. */
    @Override
    public void delivered() {
        known = askedAbout;
    }

    @Override
    public boolean isAwaited() {
        return !forgotten;
    }

    @Override
    public void forget() {
        forgotten = true;
    }

    @Override
    public long done() {
        return known;
    }

    /**
     * Always false, so that the peer is asked at the end: even a send without messages is done only when the peer has what came
     * before it.
     */
    @Override
    public boolean isDone() {
        return false;
    }

    @Override
    public void await(DeliveryListener listener) {
        pings.await(listener);
    }
}
