// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

/**
 * What the connections of some servers and clients have done together, at one moment. What is counted never goes back when a
 * connection ends; what is said of "now" is of those that are open.
 *
 * @param connectionsOpened connections that were ever established
 * @param connections connections open now
 * @param receivedMessages messages that arrived
 * @param receivedBytes bytes in them
 * @param sentMessages messages given to the provider
 * @param sentBytes bytes in them
 * @param noResources how often sending stalled: no free buffer or queue entry (NO_RESOURCES)
 * @param credits receive buffers now
 * @param creditsInUse messages that wait for demand, with RAW framing each in a receive buffer; with PAGE framing pages
 * @param heldBytes bytes of these messages
 * @param discardedMessages messages that arrived and were given to nobody: their stream was cancelled, or the connection closed
 * @param leasedBuffers receive buffers that leases hold now
 * @param leasedCopies messages with leases on a copy now
 * @param leaseCopies how often a copy was made for a lease
 */
public record NetioStatistics(long connectionsOpened, int connections, long receivedMessages, long receivedBytes,
        long sentMessages, long sentBytes, long noResources, long credits, long creditsInUse, long heldBytes,
        long discardedMessages, long leasedBuffers, long leasedCopies, long leaseCopies) {

    static final NetioStatistics NONE = new NetioStatistics(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

    /** With one connection more, as it is now. */
    NetioStatistics withOpen(ConnectionStatistics c) {
        return new NetioStatistics(connectionsOpened + 1, connections + 1, receivedMessages + c.receivedMessages(),
                receivedBytes + c.receivedBytes(), sentMessages + c.sentMessages(), sentBytes + c.sentBytes(),
                noResources + c.noResources(), credits + c.credits(), creditsInUse + c.creditsInUse(),
                heldBytes + c.heldBytes(), discardedMessages + c.discardedMessages(),
                leasedBuffers + c.leasedBuffers(), leasedCopies + c.leasedCopies(), leaseCopies + c.leaseCopies());
    }

    /** With one connection more that has been. */
    NetioStatistics withClosed(ConnectionStatistics c) {
        return new NetioStatistics(connectionsOpened + 1, connections, receivedMessages + c.receivedMessages(),
                receivedBytes + c.receivedBytes(), sentMessages + c.sentMessages(), sentBytes + c.sentBytes(),
                noResources + c.noResources(), credits, creditsInUse, heldBytes, discardedMessages + c.discardedMessages(),
                leasedBuffers, leasedCopies, leaseCopies + c.leaseCopies());
    }
}
