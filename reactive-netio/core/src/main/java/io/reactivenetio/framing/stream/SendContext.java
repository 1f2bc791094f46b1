// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.framing.stream;

import io.reactivenetio.connection.Connection;

/**
 * What the streams that the peer receives have in common: their connection, the bytes of the largest message that the peer takes,
 * what writes their frames, knows what has arrived and what room the peer has, and the end of the connection.
 */
record SendContext(Connection connection, int largestMessage, PageScheduler pages, PingTracker pings, RoomAtPeer room,
        SessionEnd end) {
}
