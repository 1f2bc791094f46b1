// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import io.reactivenetio.api.ConnectionObserver;
import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.LeasePolicy;
import io.reactivenetio.api.MetricsRecorder;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.api.NetioInbound;
import io.reactivenetio.api.NetioOutbound;
import io.reactivenetio.api.NetioPropagator;
import io.reactivenetio.connection.WiretapConfig;
import io.reactivenetio.diagnostics.UserCode;
import io.reactivenetio.lifecycle.DefaultConnection;
import io.reactivenetio.transport.BackendType;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import org.reactivestreams.Publisher;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;

/**
 * The settings that {@link NetioServer} and {@link NetioClient} share. A transport is immutable: each setting returns a changed
 * copy, of the same type. All methods may be called on any thread.
 *
 * <p>A setting throws {@link IllegalArgumentException} at once if its value alone is wrong. Settings that contradict each other,
 * such as a page watermark beyond the size of the send buffers, are reported with the same exception by {@link #validate}, and by
 * {@link NetioServer#bind} or {@link NetioClient#connect}. What only one framing has is set on that {@link Framing}.
 *
 * @param <T> what a setting returns: {@code NetioServer} or {@code NetioClient}
 */
public abstract sealed class NetioTransport<T extends NetioTransport<T>> permits NetioServer, NetioClient {
    /** The logger of {@link #wiretap(boolean)}. */
    public static final String WIRETAP = "io.reactivenetio.wiretap";

    /** How many bytes of messages {@link #wiretap(boolean)} shows of each buffer. */
    public static final int WIRETAP_BYTES = 256;

    static final Logger LOG = LoggerFactory.getLogger(NetioTransport.class);

    private final Settings settings;

    NetioTransport(Settings settings) {
        this.settings = settings;
    }

    /** This transport with other settings. */
    abstract T duplicate(Settings changed);

    /** This transport, with {@code consumer} called on the loop for each connection that is established. */
    abstract T withOnConnection(Consumer<? super NetioConnection> consumer);

    final Settings settings() {
        return settings;
    }

    /**
     * The name or address: the local one that a server listens on, or the peer's that a client connects to. It is 127.0.0.1
     * unless set. A name is looked up when the transport binds or connects. A client tries all addresses of the name, IPv6 and
     * IPv4 by turns (RFC 8305): the next one when one has failed, or has not answered for 250 ms. The first connection counts,
     * and {@code connectTimeout} is the limit for all of it. The JVM keeps what it has looked up for 30 s ({@code
     * networkaddress.cache.ttl}).
     *
     * @throws IllegalArgumentException if it is blank
     */
    public final T host(String host) {
        return duplicate(settings.withHost(host));
    }

    /**
     * The port: the local one that a server listens on, or the peer's that a client connects to. It is 0 unless set, with which
     * a server listens on a free port. {@link DisposableServer#port} tells which.
     *
     * @throws IllegalArgumentException if it is not 0 to 65,535
     */
    public final T port(int port) {
        return duplicate(settings.withPort(port));
    }

    /**
     * What carries the messages: {@link BackendType#AUTO} unless set, the fastest network that both ends have.
     *
     * <p>A server with AUTO listens on plain TCP and, if it has an RDMA device for its address, at the same port over libfabric's
     * provider verbs. A client with AUTO that has such a device tries verbs first, at each address of the name. It tries plain
     * TCP when verbs has failed, or has not answered for 250 ms. Within one machine, at loopback addresses, it is always plain
     * TCP. Without a device libfabric is neither needed nor loaded. A server with AUTO serves clients with AUTO, with TCP and
     * with provider verbs. {@link NetioConnection#network} says what was chosen.
     *
     * <p>{@code TCP} is plain TCP. {@code LIBFABRIC} is the {@link #provider} and nothing else. Its peer must have the same
     * provider, or AUTO if that is verbs.
     */
    public final T backend(BackendType type) {
        return duplicate(settings.withBackendType(type));
    }

    /**
     * The libfabric provider: {@code tcp} unless set, or {@code verbs}; fi_provider(7) lists others. {@code sockets} does not
     * work, since libfabric 2 has removed it. To name a provider is to choose LIBFABRIC in place of AUTO. {@code TCP} ignores
     * this.
     *
     * @throws IllegalArgumentException if it is blank
     */
    public final T provider(String name) {
        return duplicate(settings.withProvider(name));
    }

    /**
     * Gives each connection {@code number} receive buffers of {@code size} bytes: 32 of 60 KiB unless set. Their number is the
     * credit that the peer has. With RAW framing their size is that of the largest message, with PAGE and STREAM framing that of
     * the peer's largest page. Shared receive buffers of the framing replace these.
     *
     * @throws IllegalArgumentException if {@code number} is not 0 to 1,048,576, or {@code size} is less than 1
     */
    public final T receiveBuffers(int size, int number) {
        return duplicate(settings.withReceiveBuffers(size, number));
    }

    /**
     * Gives each connection {@code number} send buffers of {@code size} bytes: 32 of 60 KiB unless set. At most {@code number}
     * messages are in flight with RAW framing, and as many pages with PAGE and STREAM framing. Their size is that of the largest
     * message, or of a page. A few more than asked for are allocated. Shared send buffers of the framing replace these.
     *
     * @throws IllegalArgumentException if {@code number} is not 0 to 1,048,576, or {@code size} is less than 1
     */
    public final T sendBuffers(int size, int number) {
        return duplicate(settings.withSendBuffers(size, number));
    }

    /**
     * How messages are put on a connection: {@link Framing#stream} unless set. Both sides must have the same framing. Its
     * settings come with it, as in {@code framing(Framing.stream().prefetch(64))}. This replaces the framing that was set before,
     * with its settings.
     */
    public final T framing(Framing framing) {
        return duplicate(settings.withFraming(Objects.requireNonNull(framing, "framing")));
    }

    /**
     * The STREAM framing that is set, or {@link Framing#stream} if another one is. It is for who changes a setting and keeps the
     * others: {@code client.framing(client.streamFraming().prefetch(64))}. Protocols that need streams begin with it.
     */
    public final Framing.Stream streamFraming() {
        return settings.framing() instanceof Framing.Stream streams ? streams : Framing.stream();
    }

    /**
     * How long making a connection may take; 5 s unless set. A client's {@code connect} fails after that. A server gives up
     * the handshake of a connection that it has accepted. A loop has up to 64 attempts to one address under way at a time.
     * Others wait in order, for that time at most, and then have the same time for themselves.
     *
     * @throws IllegalArgumentException if it is not positive
     */
    public final T connectTimeout(Duration timeout) {
        return duplicate(settings.withConnectTimeout(timeout));
    }

    /**
     * How long a peer that has vanished without a word may go unnoticed here; 15 s unless set. With STREAM framing this side
     * sends something three times in that time, so that its peer can tell that it is there, and asks a silent peer to answer. A
     * peer with a shorter limit is noticed within that. With RAW and PAGE framing the limit is for the provider verbs only: TCP
     * has its own.
     *
     * @throws IllegalArgumentException if it is not positive
     */
    public final T keepAlive(Duration limit) {
        return duplicate(settings.withKeepAlive(limit));
    }

    /**
     * The byte order of all buffers that connections show: those of {@code receive()}, of decoders, encoders, leases, tagged
     * messages and requests. Unless set it is {@link ByteOrder#BIG_ENDIAN}, as that of every new ByteBuffer. It says how this
     * side reads numbers, and how its encoders write them. It changes no byte of buffers that are sent as they are.
     */
    public final T byteOrder(ByteOrder order) {
        return duplicate(settings.withByteOrder(order));
    }

    /**
     * Encrypts connections with TLS, over every backend and with every framing. Both sides must have it. A server shows its
     * certificate. A client checks it, and that it is for the host that it connects to. See {@link Tls}.
     *
     * @throws IllegalArgumentException if this is a server and {@code tls} has no certificate
     */
    public final T secure(Tls tls) {
        if (this instanceof NetioServer) {
            tls.requireCertificate();
        }
        return duplicate(settings.withTls(tls));
    }

    /** What {@code receiveLeased()} does when leases hold as many receive buffers as they may; COPY unless set. */
    public final T leasePolicy(LeasePolicy policy) {
        return duplicate(settings.withLeasePolicy(policy));
    }

    /**
     * Prepares the first connection when subscribed to: loads the libraries of the backend and its classes on each of the loops.
     * Whoever does not call it waits that much longer for the first {@code bind} or {@code connect}. It completes when all is
     * there, or fails as those would: with a BackendUnavailableException where the backend cannot be used on this machine. Loops
     * that somebody else runs ({@link NetioLoops#of}) have to run meanwhile.
     */
    public final Mono<Void> warmup() {
        return Mono.defer(() -> settings.loopsOrShared().warmUp(settings.connectionConfig()));
    }

    /**
     * The loops to run on, instead of {@link NetioLoops#shared}. A server listens on one of them and gives the connections that
     * it accepts to all of them in turn. A client opens each connection on the next one.
     */
    public final T runOn(NetioLoops loops) {
        return duplicate(settings.withLoops(loops));
    }

    /**
     * Looks whether the settings go together, as binding and connecting do first. It opens nothing and looks up no name.
     *
     * @throws IllegalArgumentException if settings contradict each other; the message says which
     */
    public final void validate() {
        settings.connectionConfig();
    }

    /**
     * What to do with each connection. {@code handler} is called on the loop. The connection is closed when the returned
     * Publisher ends. {@code send} completes only with delivery, so nothing that the Publisher composes is lost. An error is
     * logged and closes the connection, too. With STREAM framing the peer is told which it was: its {@code receive()} completes,
     * or fails with the text of the error. Leases that the Publisher's operators discard are given back.
     *
     * <p>When the connection ends first, its receivers and senders are told, and everything else goes on, with messages that
     * arrived before. A handler that neither receives nor sends for a time stops with
     * {@code takeUntilOther(in.connection().onDispose())}.
     */
    public final T handle(BiFunction<? super NetioInbound, ? super NetioOutbound, ? extends Publisher<Void>> handler) {
        return withOnConnection(connection -> DefaultConnection.of(connection).handle(handler));
    }

    /**
     * Tells {@code observer} of the life of each connection. Observers, handlers and the hooks for new connections are called in
     * the order in which they were added.
     */
    public final T observe(ConnectionObserver observer) {
        return withOnConnection(connection -> {
            observer.onStateChange(connection, ConnectionObserver.State.CONNECTED);
            connection.onDispose()
                    .doFinally(signal -> UserCode.tell(ended -> observer.onStateChange(ended,
                            ConnectionObserver.State.DISCONNECTED), connection, LOG, "an observer of connections has thrown"))
                    .subscribe();
        });
    }

    /**
     * Passes on what {@code propagator} makes of Reactor's Context: in headers of requests, for peers that have one, too.
     * That needs STREAM framing. Without a propagator requests have no headers but a deadline's, and cost nothing more. Each call
     * adds a propagator. The headers of all are written in this order.
     */
    public final T propagation(NetioPropagator propagator) {
        return duplicate(settings.withPropagator(propagator));
    }

    /**
     * Whether what connections send and receive is logged, at DEBUG of the logger {@value #WIRETAP}: each buffer with its frames,
     * their fields, and the first {@value #WIRETAP_BYTES} bytes of messages. Not unless set.
     *
     * @see #wiretap(String, int)
     */
    public final T wiretap(boolean enable) {
        return enable ? wiretap(WIRETAP, WIRETAP_BYTES) : duplicate(settings.withWiretap(null));
    }

    /**
     * Logs each buffer that connections send and receive, with its frames and their fields, at DEBUG of the logger {@code
     * category}. Whether that has DEBUG is decided when a connection is made; without, the connection costs nothing more. What is
     * sent is told when the backend has it, and what has arrived before anybody reads it. The bytes of messages are shown in
     * hexadecimal: whoever reads the log reads them. It is written on the connection's loop, which waits for the log.
     *
     * @param payloadBytes how many bytes of messages are shown of each buffer
     * @throws IllegalArgumentException if that is negative
     */
    public final T wiretap(String category, int payloadBytes) {
        return duplicate(settings.withWiretap(new WiretapConfig(category, payloadBytes)));
    }

    /** Tells {@code recorder} of each connection: a {@link NetioMetrics}, or one that keeps figures of its own. */
    public final T metrics(MetricsRecorder recorder) {
        return observe((connection, state) -> {
            if (state == ConnectionObserver.State.CONNECTED) {
                DefaultConnection.of(connection).record(recorder);
                recorder.opened(connection);
            } else {
                recorder.closed(connection);
            }
        });
    }
}
