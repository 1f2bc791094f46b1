// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.lifecycle;

import io.reactivenetio.api.NetioConnection;
import java.util.function.Consumer;

/**
 * The hooks that a client calls at the steps of a connection's life. Those of a step are called in the order they were added.
 *
 * @param <T> the clients that users have
 */
public record ClientHooks<T>(Consumer<T> onConnect, Consumer<NetioConnection> onConnected,
        Consumer<NetioConnection> onDisconnected) {

    public static <T> ClientHooks<T> none() {
        return new ClientHooks<>(client -> { }, connection -> { }, connection -> { });
    }

    public ClientHooks<T> andOnConnect(Consumer<? super T> next) {
        return new ClientHooks<>(onConnect.andThen(next), onConnected, onDisconnected);
    }

    public ClientHooks<T> andOnConnected(Consumer<? super NetioConnection> next) {
        return new ClientHooks<>(onConnect, onConnected.andThen(next), onDisconnected);
    }

    public ClientHooks<T> andOnDisconnected(Consumer<? super NetioConnection> next) {
        return new ClientHooks<>(onConnect, onConnected, onDisconnected.andThen(next));
    }
}
