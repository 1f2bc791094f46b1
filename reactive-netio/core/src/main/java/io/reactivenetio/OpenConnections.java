// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Connections of one server, or of some loops, that are not over. Any thread. */
final class OpenConnections {
    private final Set<NetioConnection> open = ConcurrentHashMap.newKeySet();

    void add(NetioConnection connection) {
        open.add(connection);
        connection.onDispose().subscribe(nothing -> { }, error -> open.remove(connection), () -> open.remove(connection));
    }

    int size() {
        return open.size();
    }

    /** Completes when those that are open now are over. */
    Mono<Void> whenOver() {
        return Flux.fromIterable(List.copyOf(open)).flatMap(NetioConnection::onDispose, Integer.MAX_VALUE).then();
    }

    void dispose() {
        open.forEach(NetioConnection::dispose);
    }
}
