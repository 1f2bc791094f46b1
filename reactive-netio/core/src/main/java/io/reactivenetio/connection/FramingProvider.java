// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.connection;

import io.reactivenetio.transport.ConnectionParameters;

/** How messages are put on a connection. Both sides must use the same. */
public interface FramingProvider {

    /** The parameters of a connection, or of those that a listener accepts, given what the user wants. */
    ConnectionParameters parameters(ConnectionConfig config, boolean connects);

    /**
     * For a connection that has just been established. On the loop.
     *
     * @throws io.reactivenetio.transport.exceptions.NetioException if the two sides do not go together
     */
    Session open(Connection connection);
}
