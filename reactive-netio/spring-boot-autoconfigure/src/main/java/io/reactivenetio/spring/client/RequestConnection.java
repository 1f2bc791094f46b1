// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.client;

import io.reactivenetio.NetioConnection;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

/** One connection for all who ask. It is made when it is needed, and made anew when needed after it was lost. Any thread. */
final class RequestConnection implements Disposable {
    private static final class Attempt {
        private final Mono<NetioConnection> result;
        private volatile @Nullable NetioConnection connection;
        private volatile boolean failed;

        Attempt(Mono<NetioConnection> connect) {
            result = connect.doOnNext(made -> connection = made).doOnError(error -> failed = true).cache();
        }

        boolean isOver() {
            NetioConnection made = connection;
            return failed || made != null && made.isDisposed();
        }
    }

    private final Mono<NetioConnection> connect;
    private @Nullable Attempt attempt;
    private boolean disposed;

    RequestConnection(Mono<NetioConnection> connect) {
        this.connect = connect;
    }

    /** The connection that there is, or a new one. */
    Mono<NetioConnection> get() {
        return Mono.defer(this::current);
    }

    private synchronized Mono<NetioConnection> current() {
        if (disposed) {
            return Mono.error(new IllegalStateException("the application stops, and makes no new connections"));
        }
        Attempt current = attempt;
        if (current == null || current.isOver()) {
            current = new Attempt(connect);
            attempt = current;
        }
        return current.result;
    }

    /** Closes the connection, also one that is still being made, and makes no other. */
    @Override
    public void dispose() {
        Attempt last;
        synchronized (this) {
            disposed = true;
            last = attempt;
            attempt = null;
        }
        if (last != null) {
            last.result.subscribe(NetioConnection::dispose, error -> { });
        }
    }

    @Override
    public synchronized boolean isDisposed() {
        return disposed;
    }
}
