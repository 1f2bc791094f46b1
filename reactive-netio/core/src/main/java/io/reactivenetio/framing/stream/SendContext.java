// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.framing.stream;

import io.reactivenetio.connection.Connection;

/**
 * What the streams that the peer receives have in common.
 *
 * @param largestMessage the size of the largest message that the peer takes, in bytes
 * @param pages writes their frames
 * @param pings knows what has arrived
 * @param room what the peer has room for of messages in parts
 * @param copies memory for the rest of a message whose first parts are in pages
 * @param end says why the connection has ended
 * @param serveNanos how long a subscription waits to be served; Long.MAX_VALUE is for ever
 * @param runs whether the peer wants to know the run in which messages are numbered
 * @param turns has the connection's larger tasks run
 */
record SendContext(Connection connection, int largestMessage, PageScheduler pages, PingTracker pings, RoomAtPeer room,
        FragmentCopies copies, SessionEnd end, long serveNanos, boolean runs,
        ConnectionTurns turns) {
}
