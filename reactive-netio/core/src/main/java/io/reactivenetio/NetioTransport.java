// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import io.reactivenetio.api.ConnectionObserver;
import io.reactivenetio.api.LeasePolicy;
import io.reactivenetio.api.MetricsRecorder;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.api.NetioInbound;
import io.reactivenetio.api.NetioOutbound;
import io.reactivenetio.api.NetioPropagator;
import io.reactivenetio.api.NetioStream;
import io.reactivenetio.diagnostics.UserCode;
import io.reactivenetio.framing.stream.Prefetch;
import io.reactivenetio.lifecycle.DefaultConnection;
import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.ConnectionParameters;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.IntUnaryOperator;
import org.reactivestreams.Publisher;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The settings that {@link NetioServer} and {@link NetioClient} share. A transport is immutable: each setting returns a changed
 * copy, of the same type. All methods may be called on any thread.
 *
 * <p>A setting throws {@link IllegalArgumentException} at once if its value alone is wrong. Settings that contradict each other,
 * such as STREAM framing and shared buffers, and limits of a framing are reported with the same exception by
 * {@link NetioServer#bind} or {@link NetioClient#connect}.
 *
 * @param <T> what a setting returns: {@code NetioServer} or {@code NetioClient}
 */
public abstract sealed class NetioTransport<T extends NetioTransport<T>> permits NetioServer, NetioClient {
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
     * unless set. A name is looked up when the transport binds or connects.
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
     * What carries the messages: {@code LIBFABRIC} unless set. {@code TCP} is plain TCP and needs no libfabric. The peer
     * must have the same backend.
     */
    public final T backend(BackendType type) {
        return duplicate(settings.withBackendType(type));
    }

    /**
     * The libfabric provider: {@code tcp} unless set, or {@code verbs}; fi_provider(7) lists others. {@code sockets} does not
     * work, since libfabric 2 has removed it. {@code TCP} ignores this.
     *
     * @throws IllegalArgumentException if it is blank
     */
    public final T provider(String name) {
        return duplicate(settings.withProvider(name));
    }

    /**
     * Gives each connection {@code number} receive buffers of {@code size} bytes: 32 of 60 KiB unless set. Their number is the
     * credit that the peer has. With RAW framing their size is that of the largest message, with PAGE and STREAM framing that of
     * the peer's largest page. This replaces {@link #sharedReceiveBuffers}.
     *
     * @throws IllegalArgumentException if {@code number} is not 0 to 1,048,576, or {@code size} is less than 1
     */
    public final T receiveBuffers(int size, int number) {
        return duplicate(settings.withReceiveBuffers(size, number));
    }

    /**
     * Gives each connection {@code number} send buffers of {@code size} bytes: 32 of 60 KiB unless set. At most {@code number}
     * messages are in flight with RAW framing, and as many pages with PAGE and STREAM framing. Their size is that of the largest
     * message, or of a page. A few more than asked for are allocated. This replaces {@link #sharedSendBuffers}.
     *
     * @throws IllegalArgumentException if {@code number} is not 0 to 1,048,576, or {@code size} is less than 1
     */
    public final T sendBuffers(int size, int number) {
        return duplicate(settings.withSendBuffers(size, number));
    }

    /**
     * Lets connections share {@code number} receive buffers of {@code size} bytes, instead of having some each. Those connections
     * share them that one loop runs for servers and clients with the same settings. Memory then stays the same however many
     * connections there are. A message that nobody asks for keeps one buffer from all of them; docs/backend.md says how the
     * buffers are shared out. They stay until the loop ends. STREAM framing refuses them.
     *
     * @throws IllegalArgumentException if {@code number} is not 1 to 1,048,576, or {@code size} is less than 1
     */
    public final T sharedReceiveBuffers(int size, int number) {
        return duplicate(settings.withSharedReceiveBuffers(size, number));
    }

    /**
     * Lets connections share {@code number} send buffers of {@code size} bytes, instead of having some each. The connections that
     * share them, and how long the buffers stay, are those of {@link #sharedReceiveBuffers}. Three more than asked for are
     * allocated. STREAM framing refuses them.
     *
     * @throws IllegalArgumentException if {@code number} is not 1 to 1,048,576, or {@code size} is less than 1
     */
    public final T sharedSendBuffers(int size, int number) {
        return duplicate(settings.withSharedSendBuffers(size, number));
    }

    /**
     * Lets connections send from {@code region} without copying, see {@link NetioOutbound#sendRegion}. It is for RAW framing
     * only. A message has at most 8 MiB and at most the region and a header. At most 64 are in flight.
     */
    public final T region(NetioRegion region) {
        return region(region, region.largestMessage(), ConnectionParameters.DEFAULT_ZERO_COPY_SENDS);
    }

    /**
     * Lets connections send from {@code region} without copying, with limits of one's own instead of those of
     * {@link #region(NetioRegion)}.
     *
     * @param largest bytes of the largest message, with its header
     * @param number how many messages are in flight at most
     * @throws IllegalArgumentException if {@code largest} is less than 1, or {@code number} is not 1 to 1,048,576
     */
    public final T region(NetioRegion region, int largest, int number) {
        return duplicate(settings.withBuffers(settings.buffers().withZeroCopy(region.memory(), largest, number)));
    }

    /** How messages are put on a connection: STREAM unless set. Both sides must have the same framing. */
    public final T framing(Framing framing) {
        return duplicate(settings.withFraming(framing));
    }

    /**
     * With STREAM framing: the largest message that this side receives, in bytes; 64 MiB unless set. It may come in any number
     * of pages. {@link #reassemblyBudget} grows to at least as much. Less than 1 is reported when binding or connecting.
     */
    public final T maxMessageSize(int bytes) {
        return duplicate(settings.withStreams(streams -> streams.withMaxMessage(bytes)));
    }

    /**
     * Changes what {@link #maxMessageSize(int)} has set: {@code change} is given the present limit. It is for protocols that put
     * something before each message of a user, and are not to make the largest of them smaller by that.
     */
    public final T maxMessageSize(IntUnaryOperator change) {
        return duplicate(settings.withStreams(streams -> streams.withMaxMessage(change.applyAsInt(streams.maxMessage()))));
    }

    /**
     * With STREAM framing: how many bytes the messages may have together that have begun to arrive on a connection and not ended;
     * 128 MiB unless set. {@link NetioLoops#reassemblyBudget} bounds the memory for them, of all connections of a loop. Less than
     * {@link #maxMessageSize} is reported when binding or connecting.
     */
    public final T reassemblyBudget(long bytes) {
        return duplicate(settings.withStreams(streams -> streams.withReassemblyBudget(bytes)));
    }

    /**
     * With STREAM framing: how long a subscription of the peer's to a tag waits until somebody here sends on that stream, serves
     * the tag with a publisher, or responds to its requests; 5 s unless set. After that the peer's stream fails with
     * {@link io.reactivenetio.transport.exceptions.NetioStreamException}, code 3. With zero it fails at once, which is for a side
     * that serves no tags. A duration of 292 years or more is for ever.
     *
     * @throws IllegalArgumentException if it is negative
     */
    public final T serveTimeout(Duration limit) {
        return duplicate(settings.withServeTimeout(limit));
    }

    /**
     * With STREAM framing: how many streams of a connection the peer may have subscribed to at a time; 4,096 unless set. A number
     * that is not 0 to 16,777,216 is reported when binding or connecting.
     */
    public final T maxStreams(int number) {
        return duplicate(settings.withStreams(streams -> streams.withMaxStreams(number)));
    }

    /**
     * With STREAM framing: how many messages each stream asks the peer for beyond its subscriber's demand, of 16 MiB together at
     * most. With 0 the peer is asked for exactly the demand. Unless set, each stream adapts: it is exact until the subscriber's
     * second request. From then on it is ahead by as many messages as the subscriber takes in about two round trips, so a slow
     * subscriber is ahead by one. {@link NetioStream#prefetch(int)} says more, and sets it for one stream.
     *
     * @throws IllegalArgumentException if {@code messages} is negative
     */
    public final T prefetch(int messages) {
        return duplicate(settings.withPrefetch(Prefetch.of(messages)));
    }

    /**
     * With STREAM framing: {@link #prefetch(int)} with a limit of {@code bytes} instead of 16 MiB.
     * {@link NetioStream#prefetch(int, long)} says how the limit works.
     *
     * @throws IllegalArgumentException if {@code messages} is negative, or {@code bytes} is less than 1
     */
    public final T prefetch(int messages, long bytes) {
        return duplicate(settings.withPrefetch(new Prefetch(messages, bytes)));
    }

    /** With STREAM framing: whether to insist on a checksum (CRC-32C) in every page of both sides. It is off unless set. */
    public final T checksums(boolean wanted) {
        return duplicate(settings.withStreams(streams -> streams.withChecksums(wanted)));
    }

    /**
     * With PAGE framing: a page leaves as soon as it has {@code bytes} bytes. Unless set, it leaves when no further message fits.
     * A page is a send buffer, so the watermark is at most the size of one.
     *
     * @throws IllegalArgumentException if {@code bytes} is less than 1
     */
    public final T pageWatermark(int bytes) {
        return duplicate(settings.withPages(settings.pages().withWatermark(bytes)));
    }

    /**
     * With PAGE framing: how long a page that is not full waits for further messages. It is 0 unless set: the page leaves at the
     * end of the loop's turn, with the messages of that turn, and waits for no others.
     *
     * @throws IllegalArgumentException if {@code interval} is negative or longer than an hour
     */
    public final T flushInterval(Duration interval) {
        return duplicate(settings.withPages(settings.pages().withFlushInterval(interval)));
    }

    /**
     * With RAW and PAGE framing: how a received stream ends; {@link EndSignal#ERROR} unless set. STREAM framing refuses it,
     * because the peer tells the end of each stream there.
     */
    public final T endSignal(EndSignal end) {
        return duplicate(settings.withEndSignal(end));
    }

    /**
     * How long making a connection may take; 5 s unless set. A client's {@code connect} fails after that. A server gives up
     * the handshake of a connection that it has accepted.
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

    /** What {@code receiveLeased()} does when leases hold as many receive buffers as they may; COPY unless set. */
    public final T leasePolicy(LeasePolicy policy) {
        return duplicate(settings.withLeasePolicy(policy));
    }

    /**
     * The loops to run on, instead of {@link NetioLoops#shared}. A server listens on one of them and gives the connections that
     * it accepts to all of them in turn. A client opens each connection on the next one.
     */
    public final T runOn(NetioLoops loops) {
        return duplicate(settings.withLoops(loops));
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
     * Passes on what {@code propagator} makes of Reactor's Context: in headers of requests, to peers that have a propagator, too.
     * That needs STREAM framing. Without a propagator requests have no headers and cost nothing more. Each call adds a
     * propagator. The headers of all are written in this order.
     */
    public final T propagation(NetioPropagator propagator) {
        return duplicate(settings.withPropagator(propagator));
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
