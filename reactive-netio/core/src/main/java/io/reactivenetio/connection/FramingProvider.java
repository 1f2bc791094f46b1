// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.connection;

import io.reactivenetio.transport.backend.ConnectionParameters;
import io.reactivenetio.transport.backend.Endpoint;

/** A framing: how messages lie in the buffers of a connection. Both sides have to use the same one. */
public interface FramingProvider {

    /** The parameters of a connection, or of those that a listener accepts, given what the user wants. */
    ConnectionParameters parameters(ConnectionConfig config, boolean connects);

    /** Whether it has a handshake, and streams of tags. */
    default boolean hasStreams() {
        return false;
    }

    /**
     * Looks at what the peer has said, if the framing has both sides say something, before anything is done for its connection.
     *
     * @throws io.reactivenetio.transport.exceptions.NetioException if the two sides do not go together
     */
    default void check(Endpoint peer, ConnectionConfig config) {
    }

    /**
     * Opens the session of a connection that has just been established. On the loop.
     *
     * @throws io.reactivenetio.transport.exceptions.NetioException if the two sides do not go together
     */
    Session open(Connection connection);
}
