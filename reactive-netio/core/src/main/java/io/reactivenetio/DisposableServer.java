// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import io.reactivenetio.flow.Listening;
import io.reactivenetio.transport.Addresses;
import java.net.InetSocketAddress;
import java.time.Duration;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

/** A server that listens. Any thread. */
public final class DisposableServer implements Disposable {
    private final Listening listening;
    private final OpenConnections connections;

    DisposableServer(Listening listening, OpenConnections connections) {
        this.listening = listening;
        this.connections = connections;
    }

    /** The address really bound. */
    public InetSocketAddress address() {
        return listening.address();
    }

    /** The port really bound. */
    public int port() {
        return listening.address().getPort();
    }

    /** Stops listening. Connections that were accepted live on. */
    @Override
    public void dispose() {
        listening.dispose();
    }

    /** The same, and lets go of peers that are only subscribed to what has no end. */
    void disposeSoon() {
        dispose();
        connections.shutDownSoon();
    }

    @Override
    public boolean isDisposed() {
        return listening.isDisposed();
    }

    /** Connections that were accepted and are not over. */
    public int connections() {
        return connections.size();
    }

    /**
     * Stops listening and waits for the accepted connections to end; those that have not when {@code deadline} is over are
     * closed, see {@link NetioConnection#dispose}. With STREAM framing the peer is told that it is a shutdown, code 7 of
     * docs/wire-format.md. A connection whose peer is only subscribed to shared sources of a {@link NetioPublisher}, which have
     * no end to wait for, is closed at once, so that its subscribers can go elsewhere. Begins when subscribed to; completes when
     * all of them are over. One whose handshake takes longer still is closed when it is made.
     */
    public Mono<Void> shutdown(Duration deadline) {
        return Mono.defer(() -> {
            disposeSoon();
            return onDispose().then(connections.whenOver()).timeout(deadline, Mono.empty())
                    .then(Mono.fromRunnable(connections::shutDown)).then(connections.whenOver());
        });
    }

    /**
     * The same, and waits for it. Not for a loop's thread.
     *
     * @throws io.reactivenetio.transport.NetioException if the connections are still not over some seconds after the deadline
     */
    public void disposeNow(Duration deadline) {
        Blocking.await(shutdown(deadline).thenReturn(true), deadline.plusSeconds(5), "shutting down " + this);
    }

    /** Completes when it no longer listens. */
    public Mono<Void> onDispose() {
        return listening.onDispose();
    }

    @Override
    public String toString() {
        return "server on " + Addresses.format(listening.address());
    }
}
