// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Connections of one server, or of some loops, that are not over. Any thread. */
final class OpenConnections {
    /** In the order in which they were made, so that a simulation ends them the same way each time. */
    private final Set<NetioConnection> open = Collections.synchronizedSet(new LinkedHashSet<>());
    private volatile boolean disposed;

    /** Whether it is taken in. After {@link #shutDown} it is closed instead. */
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

    /** Completes when none is open any more: those that come meanwhile are waited for, too. */
    Mono<Void> whenOver() {
        return Mono.defer(() -> open.isEmpty() ? Mono.empty()
                : Flux.fromIterable(List.copyOf(open)).flatMap(this::removed, Integer.MAX_VALUE).then(whenOver()));
    }

    private Mono<Void> removed(NetioConnection connection) {
        return connection.onDispose().doOnTerminate(() -> open.remove(connection));
    }

    /** Closes those whose peers only have what has no end of its own: the others may end by themselves. */
    void shutDownSoon() {
        List.copyOf(open).forEach(NetioConnection::shutDownSoon);
    }

    /** Closes those that are open, and those that still come. */
    void shutDown() {
        disposed = true;
        List.copyOf(open).forEach(NetioConnection::shutDown);
    }
}
