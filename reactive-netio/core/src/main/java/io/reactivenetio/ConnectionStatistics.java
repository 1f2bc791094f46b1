// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

/**
 * What a connection has done until one moment.
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
        long noResources, long creditsInUse, int credits, long heldBytes, long maxHeldBytes,
        long discardedMessages, int leasedBuffers, int leasedCopies, long leaseCopies) {
}
