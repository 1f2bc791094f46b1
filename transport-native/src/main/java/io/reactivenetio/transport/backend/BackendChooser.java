// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.backend;

import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/** Gives each connection that a listen endpoint accepts to one of several backends, and so to a loop. */
@FunctionalInterface
public interface BackendChooser {

    /**
     * Called on the listen endpoint's loop, before the connection's endpoint is made. The connection then lives on the loop of
     * the backend that is returned, and calls that backend's callbacks. It has to be of the same type, and for libfabric of the
     * same provider, as the listen endpoint's, and to share the same kinds of buffers; anything else, and whatever this throws,
     * refuses the connection, and is logged.
     */
    NetworkBackend choose(SocketAddress remote);

    /**
     * Whether a connection from {@code remote} may be accepted at all. Called on the listen endpoint's loop before anything is
     * done for it. Whatever this throws refuses the connection, and is logged. Over libfabric the address is 0.0.0.0 if the
     * provider does not say it.
     */
    default boolean admits(SocketAddress remote) {
        return true;
    }

    /**
     * The connections that are accepted and not over, as {@link BackendConfig#maxConnections} limits them. Listen endpoints whose
     * choosers return the same object are limited together. With null, each counts its own, and no limit holds for a single peer.
     */
    default @Nullable AcceptedConnections accepted() {
        return null;
    }
}
