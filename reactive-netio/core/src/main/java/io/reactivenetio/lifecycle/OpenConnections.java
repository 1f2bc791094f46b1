// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.lifecycle;

import io.reactivenetio.connection.Connection;
import io.reactivenetio.framing.stream.StreamSession;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The connections of one server, or of some loops, that are not over. All methods may be called on any thread. */
public final class OpenConnections {
    /** The connections in the order in which they were made, so that a simulation ends them the same way each time. */
    private final Set<Connection> open = Collections.synchronizedSet(new LinkedHashSet<>());
    private volatile boolean disposed;

    /** Adds {@code connection}. After {@link #shutDown} this closes the connection instead and returns false. */
    public boolean add(Connection connection) {
        open.add(connection);
        removed(connection).subscribe(nothing -> { }, error -> { });
        if (disposed) {
            connection.dispose();
            return false;
        }
        return true;
    }

    /** How many are not over. */
    public int size() {
        return open.size();
    }

    /** Completes when no connection is open any more. Those that are added meanwhile are waited for, too. */
    public Mono<Void> whenOver() {
        return Mono.defer(() -> open.isEmpty() ? Mono.empty()
                : Flux.fromIterable(List.copyOf(open)).flatMap(this::removed, Integer.MAX_VALUE).then(whenOver()));
    }

    private Mono<Void> removed(Connection connection) {
        return connection.onDispose().doOnTerminate(() -> open.remove(connection));
    }

    /** Closes the connections whose peers are only subscribed to sources without an end. Others may end by themselves. */
    public void shutDownSoon() {
        List.copyOf(open).forEach(connection -> onStreams(connection, StreamSession::shutDownSoon));
    }

    /** Closes the connections that are open, and those that are added later. */
    public void shutDown() {
        disposed = true;
        List.copyOf(open).forEach(OpenConnections::shutDown);
    }

    /** Tells the peer where the framing can, and closes the connection. */
    private static void shutDown(Connection connection) {
        if (!onStreams(connection, session -> session.shutDown(() ->
                connection.loop().atEndOfTurn(connection::dispose)))) { // what waits here for demand goes, too
            connection.dispose();
        }
    }

    /** Runs {@code action} on the loop. Returns false if the connection has no streams or its loop has terminated. */
    private static boolean onStreams(Connection connection, Consumer<StreamSession> action) {
        if (!(connection.session() instanceof StreamSession session)) {
            return false;
        }
        try {
            connection.loop().execute(() -> action.accept(session));
            return true;
        } catch (RejectedExecutionException terminated) {
            return false;
        }
    }
}
