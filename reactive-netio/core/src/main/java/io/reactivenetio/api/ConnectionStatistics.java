// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.api;

/**
 * What a connection has done until one moment, or several together.
 *
 * @param receivedMessages messages that arrived
 * @param receivedBytes bytes in the messages that arrived
 * @param sentMessages messages given to the provider
 * @param sentBytes bytes in the messages given to the provider
 * @param noResources how often sending found no free buffer or queue entry and stopped asking the upstream
 * @param creditsInUse messages that wait for demand, with RAW framing each in a receive buffer; with PAGE framing pages
 * @param credits receive buffers in all; shared ones count for each connection that shares them
 * @param heldBytes bytes of the messages that wait for demand
 * @param maxHeldBytes the most that {@code heldBytes} has been
 * @param discardedMessages messages that arrived and were given to nobody: their stream was cancelled, or the connection closed
 * @param leasedBuffers receive buffers that leases hold now
 * @param leasedCopies messages whose leases hold a copy now, and no receive buffer: see {@link LeasePolicy#COPY}
 * @param leaseCopies how often a copy was made for a lease
 */
public record ConnectionStatistics(long receivedMessages, long receivedBytes, long sentMessages, long sentBytes,
        long noResources, long creditsInUse, long credits, long heldBytes, long maxHeldBytes,
        long discardedMessages, long leasedBuffers, long leasedCopies, long leaseCopies) {
    /** The statistics of no connection. */
    public static final ConnectionStatistics NONE = new ConnectionStatistics(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

    /** These figures and those of {@code other} together; {@code maxHeldBytes} is the larger one. */
    public ConnectionStatistics plus(ConnectionStatistics other) {
        return new ConnectionStatistics(receivedMessages + other.receivedMessages, receivedBytes + other.receivedBytes,
                sentMessages + other.sentMessages, sentBytes + other.sentBytes, noResources + other.noResources,
                creditsInUse + other.creditsInUse, credits + other.credits, heldBytes + other.heldBytes,
                Math.max(maxHeldBytes, other.maxHeldBytes), discardedMessages + other.discardedMessages,
                leasedBuffers + other.leasedBuffers, leasedCopies + other.leasedCopies, leaseCopies + other.leaseCopies);
    }

    /** What stays of these figures when the connection is over: those of "now" are 0. */
    public ConnectionStatistics ended() {
        return new ConnectionStatistics(receivedMessages, receivedBytes, sentMessages, sentBytes, noResources, 0, 0, 0,
                maxHeldBytes, discardedMessages, 0, 0, leaseCopies);
    }
}
