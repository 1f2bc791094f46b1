// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.connection.Connection;
import io.reactivenetio.lifecycle.DefaultConnection;
import io.reactivenetio.request.Propagation;
import io.reactivenetio.transport.backend.Endpoint;

/** Lets a simulation know which connection it is. */
public final class SimulatedConnections {

    private SimulatedConnections() {
    }

    public static Endpoint endpoint(NetioConnection connection) {
        return DefaultConnection.of(connection).engine().endpoint();
    }

    /** A connection as users have it, without propagators. */
    static NetioConnection of(Connection engine) {
        return new DefaultConnection(engine, Propagation.NONE);
    }
}
