// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.connection;

import io.reactivenetio.api.Network;
import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.transport.backend.Addresses;
import io.reactivenetio.transport.backend.ListenEndpoint;
import io.reactivenetio.transport.backend.NetworkBackend;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** What a server listens with: a listen endpoint for each of its networks, all on one loop and one port. Any thread. */
public final class ListenerHandle implements Disposable {
    /** A listen endpoint on one network. */
    record Listening(Network network, NetworkBackend backend, ListenEndpoint endpoint) {
    }

    /** The listeners that were disposed of and still listen. */
    private static final Set<ListenerHandle> CLOSING = ConcurrentHashMap.newKeySet();
    /** How long a new listener waits for those that are about to give its port back; their loops may be busy. */
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final EventLoop loop;
    private final List<Listening> endpoints;
    private final Sinks.Empty<Void> closed = Sinks.empty();
    private volatile boolean disposed;

    /** {@code endpoints}: one or more. */
    ListenerHandle(EventLoop loop, List<Listening> endpoints) {
        this.loop = loop;
        this.endpoints = endpoints;
    }

    public SocketAddress address() {
        return endpoints.getLast().endpoint().localAddress(); // over RDMA it may be one address of several
    }

    /** The networks that it listens on, the fastest first. */
    public List<Network> networks() {
        return endpoints.stream().map(Listening::network).distinct().toList();
    }

    /** Stops listening. The accepted connections go on. */
    @Override
    public void dispose() {
        if (disposed) {
            return;
        }
        disposed = true;
        CLOSING.add(this);
        try {
            loop.execute(() -> {
                endpoints.forEach(this::stop);
                isClosed();
            });
        } catch (RejectedExecutionException e) {
            isClosed(); // the loop has ended, and closed it
        }
    }

    private void stop(Listening one) {
        try {
            one.backend().stopListening(one.endpoint());
        } catch (RuntimeException e) {
            loop.report(e);
        }
    }

    private void isClosed() {
        CLOSING.remove(this);
        closed.tryEmitEmpty();
    }

    /** Completes when no listener of this process is about to give {@code address} back; after a while in any case. */
    static Mono<Void> whenClosed(SocketAddress address) {
        List<Mono<Void>> closing = CLOSING.stream().filter(handle -> handle.mayBeInTheWayOf(address))
                .map(handle -> handle.closed.asMono()).toList();
        return closing.isEmpty() ? Mono.empty() : Mono.when(closing).timeout(PATIENCE, Mono.empty());
    }

    private boolean mayBeInTheWayOf(SocketAddress other) {
        return other instanceof InetSocketAddress ? Addresses.port(address()) == Addresses.port(other) : address().equals(other);
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
