// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

/**
 * Is told of the life of each connection of a server or client: see {@link NetioTransport#observe}.
 * Called on the connection's loop, so it must not block; what it throws is treated as what other hooks throw.
 */
@FunctionalInterface
public interface ConnectionObserver {

    /** The steps, in this order. */
    enum State {
        /** It is established, and nothing of what the peer sends has been delivered. */
        CONNECTED,

        /** It is over, whichever side ended it. What had arrived before may still wait for its receiver. */
        DISCONNECTED
    }

    /** A connection has come to {@code state}. Each one is told of both states, once. */
    void onStateChange(NetioConnection connection, State state);

    /** This observer, and after it {@code next}. */
    default ConnectionObserver then(ConnectionObserver next) {
        return (connection, state) -> {
            onStateChange(connection, state);
            next.onStateChange(connection, state);
        };
    }
}
