// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.lifecycle;

import io.reactivenetio.api.NetioConnection;
import java.util.function.Consumer;

/**
 * The hooks that a server calls at the steps of its life. Those of a step are called in the order they were added.
 *
 * @param <T> the servers that users have
 * @param <L> the servers that listen
 */
public record ServerHooks<T, L>(Consumer<T> onBind, Consumer<L> onBound, Consumer<L> onUnbound,
        Consumer<NetioConnection> onConnection) {

    public static <T, L> ServerHooks<T, L> none() {
        return new ServerHooks<>(server -> { }, server -> { }, server -> { }, connection -> { });
    }

    public ServerHooks<T, L> andOnBind(Consumer<? super T> next) {
        return new ServerHooks<>(onBind.andThen(next), onBound, onUnbound, onConnection);
    }

    public ServerHooks<T, L> andOnBound(Consumer<? super L> next) {
        return new ServerHooks<>(onBind, onBound.andThen(next), onUnbound, onConnection);
    }

    public ServerHooks<T, L> andOnUnbound(Consumer<? super L> next) {
        return new ServerHooks<>(onBind, onBound, onUnbound.andThen(next), onConnection);
    }

    public ServerHooks<T, L> andOnConnection(Consumer<? super NetioConnection> next) {
        return new ServerHooks<>(onBind, onBound, onUnbound, onConnection.andThen(next));
    }
}
