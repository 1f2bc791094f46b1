// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.lifecycle;

import java.util.function.Consumer;

/**
 * The hooks that a client calls at the steps of a connection's life. Those of a step are called in the order they were added.
 *
 * @param <T> the clients that users have
 * @param <C> the connections that users have
 */
public record ClientHooks<T, C>(Consumer<T> onConnect, Consumer<C> onConnected, Consumer<C> onDisconnected) {

    public static <T, C> ClientHooks<T, C> none() {
        return new ClientHooks<>(client -> { }, connection -> { }, connection -> { });
    }

    public ClientHooks<T, C> andOnConnect(Consumer<? super T> next) {
        return new ClientHooks<>(onConnect.andThen(next), onConnected, onDisconnected);
    }

    public ClientHooks<T, C> andOnConnected(Consumer<? super C> next) {
        return new ClientHooks<>(onConnect, onConnected.andThen(next), onDisconnected);
    }

    public ClientHooks<T, C> andOnDisconnected(Consumer<? super C> next) {
        return new ClientHooks<>(onConnect, onConnected, onDisconnected.andThen(next));
    }
}
