// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.framing.raw;

import io.reactivenetio.connection.Connection;
import io.reactivenetio.connection.ConnectionConfig;
import io.reactivenetio.connection.FramingProvider;
import io.reactivenetio.connection.Session;
import io.reactivenetio.transport.backend.ConnectionParameters;

/**
 * RAW framing: one message per buffer, to which nothing is added.
 *
 * @param emptyMessageEnds whether an empty message completes the stream
 * @param closeEnds whether a peer that closes completes the stream, instead of failing it
 */
public record RawProvider(boolean emptyMessageEnds, boolean closeEnds) implements FramingProvider {

    @Override
    public ConnectionParameters parameters(ConnectionConfig config, boolean connects) {
        return config.outboundParameters();
    }

    @Override
    public Session open(Connection connection) {
        connection.refuseHandshake("RAW");
        return new RawSession(connection, this);
    }
}
