// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The connections of one server, or of some loops, that are not over. All methods may be called on any thread. */
final class OpenConnections {
    /** The connections in the order in which they were made, so that a simulation ends them the same way each time. */
    private final Set<NetioConnection> open = Collections.synchronizedSet(new LinkedHashSet<>());
    private volatile boolean disposed;

    /** Adds {@code connection}. After {@link #shutDown} this closes the connection instead and returns false. */
    boolean add(NetioConnection connection) {
        open.add(connection);
        removed(connection).subscribe(nothing -> { }, error -> { });
        if (disposed) {
            connection.dispose();
            return false;
        }
        return true;
    }

    int size() {
        return open.size();
    }

    /** Completes when no connection is open any more. Those that are added meanwhile are waited for, too. */
    Mono<Void> whenOver() {
        return Mono.defer(() -> open.isEmpty() ? Mono.empty()
                : Flux.fromIterable(List.copyOf(open)).flatMap(this::removed, Integer.MAX_VALUE).then(whenOver()));
    }

    private Mono<Void> removed(NetioConnection connection) {
        return connection.onDispose().doOnTerminate(() -> open.remove(connection));
    }

    /** Closes the connections whose peers are only subscribed to sources without an end. Others may end by themselves. */
    void shutDownSoon() {
        List.copyOf(open).forEach(NetioConnection::shutDownSoon);
    }

    /** Closes the connections that are open, and those that are added later. */
    void shutDown() {
        disposed = true;
        List.copyOf(open).forEach(NetioConnection::shutDown);
    }
}
