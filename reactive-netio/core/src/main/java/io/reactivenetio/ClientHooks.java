// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import java.util.function.Consumer;

/** The hooks that a client calls at the steps of a connection's life. Those of a step are called in the order they were added. */
record ClientHooks(Consumer<NetioClient> onConnect, Consumer<NetioConnection> onConnected,
        Consumer<NetioConnection> onDisconnected) {

    static ClientHooks none() {
        return new ClientHooks(client -> { }, connection -> { }, connection -> { });
    }

    ClientHooks andOnConnect(Consumer<? super NetioClient> next) {
        return new ClientHooks(onConnect.andThen(next), onConnected, onDisconnected);
    }

    ClientHooks andOnConnected(Consumer<? super NetioConnection> next) {
        return new ClientHooks(onConnect, onConnected.andThen(next), onDisconnected);
    }

    ClientHooks andOnDisconnected(Consumer<? super NetioConnection> next) {
        return new ClientHooks(onConnect, onConnected, onDisconnected.andThen(next));
    }
}
