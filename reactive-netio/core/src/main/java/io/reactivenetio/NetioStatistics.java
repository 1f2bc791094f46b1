// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

/**
 * What the connections of some servers and clients have done together until one moment. Counts never go back when a connection
 * ends. Figures of "now" are those of the connections that are open.
 *
 * @param connectionsOpened connections that were ever established
 * @param connections connections open now
 * @param receivedMessages messages that arrived
 * @param receivedBytes bytes in the messages that arrived
 * @param sentMessages messages given to the provider
 * @param sentBytes bytes in the messages given to the provider
 * @param noResources how often sending stalled: no free buffer or queue entry (NO_RESOURCES)
 * @param credits receive buffers now
 * @param creditsInUse messages that wait for demand now, with RAW framing each in a receive buffer; with PAGE framing pages
 * @param heldBytes bytes of the messages that wait for demand now
 * @param discardedMessages messages that arrived and were given to nobody: their stream was cancelled, or the connection closed
 * @param leasedBuffers receive buffers that leases hold now
 * @param leasedCopies messages whose leases hold a copy now, and no receive buffer
 * @param leaseCopies how often a copy was made for a lease
 * @param asked the requests that this side has made
 * @param answered the requests that this side has answered, or was to answer
 */
public record NetioStatistics(long connectionsOpened, int connections, long receivedMessages, long receivedBytes,
        long sentMessages, long sentBytes, long noResources, long credits, long creditsInUse, long heldBytes,
        long discardedMessages, long leasedBuffers, long leasedCopies, long leaseCopies,
        RequestStatistics asked, RequestStatistics answered) {

    static final NetioStatistics NONE = new NetioStatistics(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, RequestStatistics.NONE,
            RequestStatistics.NONE);

    /** These figures with those of another connection, which is open. */
    NetioStatistics withOpen(ConnectionStatistics c) {
        return new NetioStatistics(connectionsOpened + 1, connections + 1, receivedMessages + c.receivedMessages(),
                receivedBytes + c.receivedBytes(), sentMessages + c.sentMessages(), sentBytes + c.sentBytes(),
                noResources + c.noResources(), credits + c.credits(), creditsInUse + c.creditsInUse(),
                heldBytes + c.heldBytes(), discardedMessages + c.discardedMessages(),
                leasedBuffers + c.leasedBuffers(), leasedCopies + c.leasedCopies(), leaseCopies + c.leaseCopies(),
                asked, answered);
    }

    /** These figures with those of another connection, which is over. */
    NetioStatistics withClosed(ConnectionStatistics c) {
        return new NetioStatistics(connectionsOpened + 1, connections, receivedMessages + c.receivedMessages(),
                receivedBytes + c.receivedBytes(), sentMessages + c.sentMessages(), sentBytes + c.sentBytes(),
                noResources + c.noResources(), credits, creditsInUse, heldBytes, discardedMessages + c.discardedMessages(),
                leasedBuffers, leasedCopies, leaseCopies + c.leaseCopies(), asked, answered);
    }

    NetioStatistics withRequests(RequestStatistics made, RequestStatistics taken) {
        return new NetioStatistics(connectionsOpened, connections, receivedMessages, receivedBytes, sentMessages, sentBytes,
                noResources, credits, creditsInUse, heldBytes, discardedMessages, leasedBuffers, leasedCopies, leaseCopies,
                made, taken);
    }
}
