// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.framing.stream;

import io.reactivenetio.send.DeliveryTracker;

/** Asks the peer by PING whether it has a send's messages: now and then while there are more, and at the end. */
final class PingDelivery implements DeliveryTracker {
    /** How much is sent before the peer is asked whether it has it: that is the precision of the count in an error. */
    private static final int STRETCH = 4096;
    private static final int STRETCH_BYTES = 4 * 1024 * 1024;

    private final PingTracker pings;
    private final Runnable answered = this::answered;
    private long written;
    private long bytesSinceAsked;
    private long askedAbout;
    private long known;

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
            pings.await(answered);
        }
    }

    private void answered() {
        known = askedAbout;
    }

    @Override
    public long done() {
        return known;
    }

    /** Never without asking: also a send without messages is done when the peer knows what came before it. */
    @Override
    public boolean isDone() {
        return false;
    }

    @Override
    public void await(Runnable then) {
        pings.await(then);
    }
}
