// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.lifecycle;

import java.util.function.Consumer;

/**
 * The hooks that a server calls at the steps of its life. Those of a step are called in the order they were added.
 *
 * @param <T> the servers that users have
 * @param <L> the servers that listen
 * @param <C> the connections that users have
 */
public record ServerHooks<T, L, C>(Consumer<T> onBind, Consumer<L> onBound, Consumer<L> onUnbound, Consumer<C> onConnection) {

    public static <T, L, C> ServerHooks<T, L, C> none() {
        return new ServerHooks<>(server -> { }, server -> { }, server -> { }, connection -> { });
    }

    public ServerHooks<T, L, C> andOnBind(Consumer<? super T> next) {
        return new ServerHooks<>(onBind.andThen(next), onBound, onUnbound, onConnection);
    }

    public ServerHooks<T, L, C> andOnBound(Consumer<? super L> next) {
        return new ServerHooks<>(onBind, onBound.andThen(next), onUnbound, onConnection);
    }

    public ServerHooks<T, L, C> andOnUnbound(Consumer<? super L> next) {
        return new ServerHooks<>(onBind, onBound, onUnbound.andThen(next), onConnection);
    }

    public ServerHooks<T, L, C> andOnConnection(Consumer<? super C> next) {
        return new ServerHooks<>(onBind, onBound, onUnbound, onConnection.andThen(next));
    }
}
