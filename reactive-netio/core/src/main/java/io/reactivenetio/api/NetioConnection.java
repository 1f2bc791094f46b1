// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.api;

import io.reactivenetio.transport.exceptions.NotSupportedException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.security.Principal;
import java.time.Duration;
import java.util.function.Function;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/**
 * An established connection, in both directions. All its signals come on the thread of one loop. Its methods may be called on any
 * thread, except {@link #disposeNow}.
 *
 * <p>A connection's buffers are native memory, which {@link #dispose} gives back. When the peer has gone, the messages that
 * arrived before are kept until they are received or the connection is disposed of.
 */
public interface NetioConnection extends NetioInbound, NetioOutbound, Disposable {
    /** How many requests a responder works on at a time, unless it is given another number. */
    int DEFAULT_CONCURRENCY = 256;

    /**
     * The streams of {@code tag} on this connection. They are independent of what the connection itself sends and receives.
     *
     * @throws NotSupportedException unless the connection has {@link io.reactivenetio.Framing#stream}
     */
    NetioStream stream(long tag);

    /**
     * The requester that asks the peer's responder of {@code tag}. Each call with the same tag returns the same requester.
     *
     * @throws NotSupportedException unless the connection has {@link io.reactivenetio.Framing#stream}
     */
    NetioRequester requester(long tag);

    /**
     * The requester that asks the peer's responder of {@code tag} with values. It is the one that {@link #requester(long)}
     * returns, with an encoder and a decoder of its own.
     *
     * @param encoder writes the requests, in the byte order of the server or client
     * @param decoder makes a value of an answer, which is a heap buffer in that byte order that it may keep
     * @throws NotSupportedException unless the connection has {@link io.reactivenetio.Framing#stream}
     */
    <Q, A> TypedRequester<Q, A> requester(long tag, NetioEncoder<? super Q> encoder,
            Function<? super ByteBuffer, ? extends A> decoder);

    /**
     * Answers what the peer's {@link NetioRequester} of {@code tag} asks, {@value #DEFAULT_CONCURRENCY} requests at a time. See
     * {@link #respond(long, int, Function)}.
     *
     * @throws NotSupportedException unless the connection has {@link io.reactivenetio.Framing#stream}
     */
    Mono<Void> respond(long tag, Function<? super ByteBuffer, ? extends Mono<? extends ByteBuffer>> function);

    /**
     * Answers what the peer's {@link NetioRequester} of {@code tag} asks. {@code function} makes each answer. It is called on the
     * loop, with a heap buffer of its own, and must not block. At most {@code concurrency} requests are worked on at a time, and
     * others wait at the requester.
     *
     * <p>The Mono that the function returns may signal on any thread. Its element is the answer, of which a copy is made. If it
     * is empty, so is the requester's Mono. If it fails, the requester's Mono fails with the text of
     * {@link Throwable#toString}. It is cancelled when the requester cancels or the connection ends.
     *
     * <p>The Mono that the function returns is subscribed to with the Context of the subscriber of the Mono that is returned
     * here, and with what {@linkplain io.reactivenetio.NetioTransport#propagation propagators} have made of the request's
     * headers.
     *
     * <p>Requests are answered while the returned Mono is subscribed to. It completes when the connection has gone, or a
     * requester that has asked. A responder of the peer with the same tag does not end it. It fails with
     * {@link IllegalStateException} if the tag has a responder or requester on this side already, and with
     * {@link io.reactivenetio.transport.exceptions.NetioProtocolException} when the peer's requester breaks the rules.
     *
     * @throws IllegalArgumentException if concurrency is not 1 to 65,536
     * @throws NotSupportedException unless the connection has {@link io.reactivenetio.Framing#stream}
     */
    Mono<Void> respond(long tag, int concurrency,
            Function<? super ByteBuffer, ? extends Mono<? extends ByteBuffer>> function);

    /**
     * Answers values with values, {@value #DEFAULT_CONCURRENCY} requests at a time. See
     * {@link #respond(long, int, Function, NetioEncoder, Function)}.
     *
     * @throws NotSupportedException unless the connection has {@link io.reactivenetio.Framing#stream}
     */
    <Q, A> Mono<Void> respond(long tag, Function<? super ByteBuffer, ? extends Q> decoder, NetioEncoder<? super A> encoder,
            Function<? super Q, ? extends Mono<? extends A>> function);

    /**
     * Answers values with values, and otherwise as {@link #respond(long, int, Function)} does. What encoder or decoder throw is
     * the failure of the request, as if the Mono had failed, and so is what the encoder does wrong.
     *
     * @param decoder makes a value of a request, on the loop, which is a heap buffer that it may keep, in the byte order of the
     *     server or client
     * @param encoder writes the answers in that byte order, on the threads that emit them, several at a time
     * @throws IllegalArgumentException if concurrency is not 1 to 65,536
     * @throws NotSupportedException unless the connection has {@link io.reactivenetio.Framing#stream}
     */
    <Q, A> Mono<Void> respond(long tag, int concurrency, Function<? super ByteBuffer, ? extends Q> decoder,
            NetioEncoder<? super A> encoder, Function<? super Q, ? extends Mono<? extends A>> function);

    /**
     * The address of this side, which never changes; null where the system does not say it. Of a Unix socket's client the path is
     * empty.
     */
    @Nullable SocketAddress localAddress();

    /**
     * The peer's address. If the client was given a host name, the address is that name, and is not resolved. A Unix socket has a
     * {@link java.net.UnixDomainSocketAddress}, whose path is empty for a client.
     */
    SocketAddress remoteAddress();

    /**
     * What the TLS handshake came to: protocol, cipher suite, and who the peer is, if it has shown a certificate ({@link
     * SSLSession#getPeerPrincipal}). Null without {@link io.reactivenetio.NetioTransport#secure}.
     */
    @Nullable SSLSession tlsSession();

    /**
     * Who the peer is: what the server's {@link NetioAuthenticator} has said, or else the subject of the certificate that the
     * peer has shown. Null if it has shown nothing. Handlers and responders find it in their Context, too: {@code
     * context.getOrEmpty(Principal.class)}.
     */
    @Nullable Principal principal();

    /** What carries this connection, which {@link io.reactivenetio.transport.BackendType#AUTO} has chosen or the program. */
    Network network();

    /**
     * The Scheduler that runs tasks on this connection's loop. Others share it, so disposing of it does nothing. Workers belong
     * to whoever creates them.
     */
    Scheduler scheduler();

    /** Returns a snapshot of the counters. */
    ConnectionStatistics statistics();

    /**
     * Closes the connection now. Sends that have not completed fail, and messages that wait for demand are dropped. To lose
     * nothing, wait for the completion of {@link #send} first.
     */
    @Override
    void dispose();

    /**
     * Closes the connection as {@link #dispose} does, and waits until it is over, at most {@code timeout}.
     *
     * @throws io.reactivenetio.transport.exceptions.NetioException if it is not over by then
     * @throws IllegalStateException on a loop's thread
     */
    void disposeNow(Duration timeout);

    /** Closes the connection and waits until it is over as {@link #disposeNow(Duration)} does, at most 3 s. */
    default void disposeNow() {
        disposeNow(Duration.ofSeconds(3));
    }

    @Override
    boolean isDisposed();

    /** Completes when the connection is over, whichever side ended it. */
    Mono<Void> onDispose();
}
