// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.lifecycle;

import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.NetioConnection;
import java.util.function.Consumer;

/**
 * The hooks that a server calls at the steps of its life. Those of a step are called in the order they were added.
 *
 * @param <T> the servers that users have
 */
public record ServerHooks<T>(Consumer<T> onBind, Consumer<DisposableServer> onBound, Consumer<DisposableServer> onUnbound,
        Consumer<NetioConnection> onConnection) {

    public static <T> ServerHooks<T> none() {
        return new ServerHooks<>(server -> { }, server -> { }, server -> { }, connection -> { });
    }

    public ServerHooks<T> andOnBind(Consumer<? super T> next) {
        return new ServerHooks<>(onBind.andThen(next), onBound, onUnbound, onConnection);
    }

    public ServerHooks<T> andOnBound(Consumer<? super DisposableServer> next) {
        return new ServerHooks<>(onBind, onBound.andThen(next), onUnbound, onConnection);
    }

    public ServerHooks<T> andOnUnbound(Consumer<? super DisposableServer> next) {
        return new ServerHooks<>(onBind, onBound, onUnbound.andThen(next), onConnection);
    }

    public ServerHooks<T> andOnConnection(Consumer<? super NetioConnection> next) {
        return new ServerHooks<>(onBind, onBound, onUnbound, onConnection.andThen(next));
    }
}
