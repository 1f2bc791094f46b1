// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.api;

/**
 * Is told of the life of each connection of a server or client: see {@link io.reactivenetio.NetioTransport#observe}. It is called
 * on the connection's loop, so it must not block. What it throws for a new connection is treated as what {@link
 * io.reactivenetio.NetioServer#doOnConnection} and {@link io.reactivenetio.NetioClient#doOnConnected} throw.
 */
@FunctionalInterface
public interface ConnectionObserver {

    /** The steps of a connection's life, in this order. */
    enum State {
        /** The connection is established, and nothing that the peer sends has been delivered. */
        CONNECTED,

        /** The connection is over, whichever side ended it. Messages that arrived before may still wait for their receiver. */
        DISCONNECTED
    }

    /** A connection has come to {@code state}. The observer is told of both states of each connection, once. */
    void onStateChange(NetioConnection connection, State state);

    /** An observer that tells this one first and then {@code next}. */
    default ConnectionObserver then(ConnectionObserver next) {
        return (connection, state) -> {
            onStateChange(connection, state);
            next.onStateChange(connection, state);
        };
    }
}
