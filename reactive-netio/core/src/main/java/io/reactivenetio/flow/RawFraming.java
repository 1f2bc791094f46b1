// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.flow;

import io.reactivenetio.transport.ConnectionParameters;

/**
 * One message per buffer, nothing added.
 *
 * @param emptyMessageEnds whether an empty message completes the stream
 * @param closeEnds whether a peer that closes completes the stream, instead of failing it
 */
public record RawFraming(boolean emptyMessageEnds, boolean closeEnds) implements Framing {

    /** With the send buffers that {@link Outbound} needs besides the user's. */
    @Override
    public ConnectionParameters parameters(ConnectionParameters users, boolean connects) {
        return users.withSendBuffers(users.sendBufferSize(),
                Math.min(users.sendBuffers() + Outbound.RESERVE, ConnectionParameters.MAX_BUFFERS));
    }

    @Override
    public Traffic open(ConnectionFlow connection) {
        return new RawTraffic(connection, this);
    }
}
