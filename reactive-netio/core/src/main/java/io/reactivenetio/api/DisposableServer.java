// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.api;

import java.net.SocketAddress;
import java.time.Duration;
import java.util.List;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

/** A server that listens. All methods may be called on any thread, except {@link #disposeNow}. */
public interface DisposableServer extends Disposable {
    /**
     * The address that the server listens on, with the port that was found for port 0: an {@link java.net.InetSocketAddress}, or
     * the {@link java.net.UnixDomainSocketAddress} that it was bound to.
     */
    SocketAddress address();

    /** The port that the server listens on; for port 0 the one that was found. A Unix socket has the port 0. */
    int port();

    /**
     * What the server listens on, the fastest first. It accepts connections over each of these at the same port. With
     * {@link io.reactivenetio.transport.BackendType#AUTO} that is what the machine had when the server was bound.
     */
    List<Network> networks();

    /**
     * Stops listening, soon: the loop does it, and {@link #onDispose} tells when. A server of this process that is bound to the
     * same port afterwards waits for that. Accepted connections live on.
     */
    @Override
    void dispose();

    /** How many accepted connections are not over. */
    int connections();

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
    Mono<Void> shutdown(Duration deadline);

    /**
     * Subscribes to {@link #shutdown} and waits until it is done.
     *
     * @throws io.reactivenetio.transport.exceptions.NetioException if the connections are still not over 5 s after the deadline
     * @throws IllegalStateException on a loop's thread
     */
    void disposeNow(Duration deadline);

    /** Shuts down and waits as {@link #disposeNow(Duration)} does. Connections have 3 s to end by themselves. */
    default void disposeNow() {
        disposeNow(Duration.ofSeconds(3));
    }

    /** Completes when the server no longer listens. */
    Mono<Void> onDispose();
}
