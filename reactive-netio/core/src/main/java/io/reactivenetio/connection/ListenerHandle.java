// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.connection;

import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.transport.ListenEndpoint;
import io.reactivenetio.transport.NetworkBackend;
import java.net.InetSocketAddress;
import java.util.concurrent.RejectedExecutionException;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** An open listen endpoint. Any thread. */
public final class ListenerHandle implements Disposable {
    private final EventLoop loop;
    private final NetworkBackend backend;
    private final ListenEndpoint endpoint;
    private final Sinks.Empty<Void> closed = Sinks.empty();
    private volatile boolean disposed;

    ListenerHandle(EventLoop loop, NetworkBackend backend, ListenEndpoint endpoint) {
        this.loop = loop;
        this.backend = backend;
        this.endpoint = endpoint;
    }

    public InetSocketAddress address() {
        return endpoint.localAddress();
    }

    /** Stops listening. The accepted connections go on. */
    @Override
    public void dispose() {
        if (disposed) {
            return;
        }
        disposed = true;
        try {
            loop.execute(() -> {
                backend.stopListening(endpoint);
                closed.tryEmitEmpty();
            });
        } catch (RejectedExecutionException e) {
            closed.tryEmitEmpty(); // the loop has ended, and closed it
        }
    }

    @Override
    public boolean isDisposed() {
        return disposed;
    }

    /** Completes when the endpoint no longer listens. */
    public Mono<Void> onDispose() {
        return closed.asMono();
    }
}
