// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.lifecycle;

import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.Network;
import io.reactivenetio.connection.ListenerHandle;
import io.reactivenetio.transport.backend.Addresses;
import io.reactivenetio.transport.backend.Durations;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.List;
import reactor.core.publisher.Mono;

/** A server that listens, with the connections that it has accepted. */
public final class DefaultServer implements DisposableServer {
    private final ListenerHandle listening;
    private final OpenConnections connections;

    public DefaultServer(ListenerHandle listening, OpenConnections connections) {
        this.listening = listening;
        this.connections = connections;
    }

    @Override
    public SocketAddress address() {
        return listening.address();
    }

    @Override
    public int port() {
        return Addresses.port(listening.address());
    }

    @Override
    public List<Network> networks() {
        return listening.networks();
    }

    @Override
    public void dispose() {
        listening.dispose();
    }

    /** Stops listening, and closes the connections whose peers are only subscribed to sources without an end. */
    public void disposeSoon() {
        dispose();
        connections.shutDownSoon();
    }

    @Override
    public boolean isDisposed() {
        return listening.isDisposed();
    }

    @Override
    public int connections() {
        return connections.size();
    }

    @Override
    public Mono<Void> shutdown(Duration deadline) {
        return Mono.defer(() -> {
            disposeSoon();
            return onDispose().then(connections.whenOver()).timeout(Durations.bounded(deadline), Mono.empty())
                    .then(Mono.fromRunnable(connections::shutDown)).then(connections.whenOver());
        });
    }

    @Override
    public void disposeNow(Duration deadline) {
        BlockingMono.await(shutdown(deadline).thenReturn(true), Durations.plus(deadline, Duration.ofSeconds(5)),
                "shutting down " + this);
    }

    @Override
    public Mono<Void> onDispose() {
        return listening.onDispose();
    }

    @Override
    public String toString() {
        return "server on " + Addresses.format(listening.address());
    }
}
