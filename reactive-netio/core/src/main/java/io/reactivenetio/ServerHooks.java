// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import java.util.function.Consumer;

/** The hooks that a server calls at the steps of its life. Those of a step are called in the order they were added. */
record ServerHooks(Consumer<NetioServer> onBind, Consumer<DisposableServer> onBound, Consumer<DisposableServer> onUnbound,
        Consumer<NetioConnection> onConnection) {

    static ServerHooks none() {
        return new ServerHooks(server -> { }, server -> { }, server -> { }, connection -> { });
    }

    ServerHooks andOnBind(Consumer<? super NetioServer> next) {
        return new ServerHooks(onBind.andThen(next), onBound, onUnbound, onConnection);
    }

    ServerHooks andOnBound(Consumer<? super DisposableServer> next) {
        return new ServerHooks(onBind, onBound.andThen(next), onUnbound, onConnection);
    }

    ServerHooks andOnUnbound(Consumer<? super DisposableServer> next) {
        return new ServerHooks(onBind, onBound, onUnbound.andThen(next), onConnection);
    }

    ServerHooks andOnConnection(Consumer<? super NetioConnection> next) {
        return new ServerHooks(onBind, onBound, onUnbound, onConnection.andThen(next));
    }
}
