// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.tcp;

import io.reactivenetio.transport.backend.ConnectionData;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A socket that becomes a connection.
 *
 * @param fd whoever has this object closes it
 * @param peerData what the peer has said while the connection was made
 * @param first the bytes that were read behind that; null if none were
 */
record AcceptedSocket(int fd, SocketAddress remote, ConnectionData peerData, @Nullable ByteBuffer first) {
}
