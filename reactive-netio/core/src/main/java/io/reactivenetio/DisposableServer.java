// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.connection.ListenerHandle;
import io.reactivenetio.lifecycle.BlockingMono;
import io.reactivenetio.lifecycle.OpenConnections;
import io.reactivenetio.transport.Addresses;
import io.reactivenetio.transport.Durations;
import java.net.InetSocketAddress;
import java.time.Duration;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

/** A server that listens. All methods may be called on any thread, except {@link #disposeNow}. */
public final class DisposableServer implements Disposable {
    private final ListenerHandle listening;
    private final OpenConnections connections;

    DisposableServer(ListenerHandle listening, OpenConnections connections) {
        this.listening = listening;
        this.connections = connections;
    }

    /** The address that the server listens on, with the port that was found for port 0. */
    public InetSocketAddress address() {
        return listening.address();
    }

    /** The port that the server listens on; for port 0 the one that was found. */
    public int port() {
        return listening.address().getPort();
    }

    /**
     * Stops listening, soon: the loop does it, and {@link #onDispose} tells when. A server of this process that is bound to the
     * same port afterwards waits for that. Accepted connections live on.
     */
    @Override
    public void dispose() {
        listening.dispose();
    }

    /** Stops listening, and closes the connections whose peers are only subscribed to sources without an end. */
    void disposeSoon() {
        dispose();
        connections.shutDownSoon();
    }

    @Override
    public boolean isDisposed() {
        return listening.isDisposed();
    }

    /** How many accepted connections are not over. */
    public int connections() {
        return connections.size();
    }

    /**
     * Stops listening and waits for the accepted connections to end. Those that have not ended when {@code deadline} is over are
     * closed, see {@link NetioConnection#dispose}. With STREAM framing the peer is told that it is a shutdown: {@code SHUT_DOWN}.
     * A connection whose peer is only subscribed to shared sources of a {@link io.reactivenetio.pubsub.NetioPublisher} that have
     * not ended is closed at once: there is no end to wait for, and its subscribers can go elsewhere. They are told what they did
     * not get, as dropped. A connection whose handshake takes longer than the deadline is closed when it is made.
     *
     * <p>A deadline of zero or less closes them at once, one of 292 years or more is for ever. The shutdown begins when the Mono
     * is subscribed to. The Mono completes when all connections are over.
     */
    public Mono<Void> shutdown(Duration deadline) {
        return Mono.defer(() -> {
            disposeSoon();
            return onDispose().then(connections.whenOver()).timeout(Durations.bounded(deadline), Mono.empty())
                    .then(Mono.fromRunnable(connections::shutDown)).then(connections.whenOver());
        });
    }

    /**
     * Subscribes to {@link #shutdown} and waits until it is done.
     *
     * @throws io.reactivenetio.transport.exceptions.NetioException if the connections are still not over 5 s after the deadline
     * @throws IllegalStateException on a loop's thread
     */
    public void disposeNow(Duration deadline) {
        BlockingMono.await(shutdown(deadline).thenReturn(true), Durations.plus(deadline, Duration.ofSeconds(5)),
                "shutting down " + this);
    }

    /** Shuts down and waits as {@link #disposeNow(Duration)} does. Connections have 3 s to end by themselves. */
    public void disposeNow() {
        disposeNow(Duration.ofSeconds(3));
    }

    /** Completes when the server no longer listens. */
    public Mono<Void> onDispose() {
        return listening.onDispose();
    }

    @Override
    public String toString() {
        return "server on " + Addresses.format(listening.address());
    }
}
