// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import io.reactivenetio.flow.ConnectionFlow;
import io.reactivenetio.flow.FlowConfig;
import io.reactivenetio.stream.Prefetch;
import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.ConnectionParameters;
import java.time.Duration;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;

/**
 * Accepts connections. Immutable: each setting returns a new server. {@link Framing} says how messages lie in the buffers.
 *
 * <p>Errors of {@link #bind}: {@link io.reactivenetio.transport.NetioBindException} (address in use or not possible),
 * {@link io.reactivenetio.transport.InvalidEndpointAddressException} (unknown host),
 * {@link io.reactivenetio.transport.BackendUnavailableException} (no libfabric, no such provider),
 * {@link IllegalArgumentException} (settings that contradict each other, such as STREAM framing and shared buffers).
 */
public final class NetioServer {
    private final Settings settings;
    private final ServerHooks hooks;

    private NetioServer(Settings settings, ServerHooks hooks) {
        this.settings = settings;
        this.hooks = hooks;
    }

    /** On 127.0.0.1 and a free port, provider tcp, STREAM framing, 32 buffers of 60 KiB in each direction, on the shared loop. */
    public static NetioServer create() {
        return new NetioServer(Settings.defaults(), ServerHooks.none());
    }

    private NetioServer with(Settings changed) {
        return new NetioServer(changed, hooks);
    }

    /** The local name or address to listen on. */
    public NetioServer host(String host) {
        return with(settings.withHost(host));
    }

    /** The port to listen on; 0 finds a free one. */
    public NetioServer port(int port) {
        return with(settings.withPort(port));
    }

    /** What carries the messages: libfabric unless set. {@code ASYNCMSG} is plain TCP and needs no libfabric. */
    public NetioServer backend(BackendType type) {
        return with(settings.withBackendType(type));
    }

    /** The libfabric provider: tcp, verbs, …; see fi_provider(7). Not sockets, which libfabric 2 has removed. */
    public NetioServer provider(String name) {
        return with(settings.withProvider(name));
    }

    /** {@code number} receive buffers of {@code size} bytes for each connection: its credits, and the largest message. */
    public NetioServer receiveBuffers(int size, int number) {
        return with(settings.withReceiveBuffers(size, number));
    }

    /** {@code number} send buffers of {@code size} bytes for each connection: its most messages in flight, and the largest. */
    public NetioServer sendBuffers(int size, int number) {
        return with(settings.withSendBuffers(size, number));
    }

    /**
     * {@code number} receive buffers of {@code size} bytes for all connections together, instead of some for each: those that one
     * loop runs for servers and clients with the same settings. Memory then stays the same however many connections there are.
     * A message that nobody asks for keeps one from all of them; see docs/backend.md for how they are shared out. They stay
     * until the loop ends. Not with STREAM framing.
     */
    public NetioServer sharedReceiveBuffers(int size, int number) {
        return with(settings.withSharedReceiveBuffers(size, number));
    }

    /** The same for send buffers. Three more than asked for are allocated. */
    public NetioServer sharedSendBuffers(int size, int number) {
        return with(settings.withSharedSendBuffers(size, number));
    }

    /**
     * With RAW framing: lets connections send from {@code region} without copying, see {@link NetioOutbound#sendRegion}:
     * messages of up to 8 MiB, 64 in flight.
     */
    public NetioServer region(NetioRegion region) {
        return region(region, region.largestMessage(), ConnectionParameters.DEFAULT_ZERO_COPY_SENDS);
    }

    /** The same, with messages of at most {@code largest} bytes, headers included, {@code number} of them in flight at most. */
    public NetioServer region(NetioRegion region, int largest, int number) {
        return with(settings.withBuffers(settings.buffers().withZeroCopy(region.memory(), largest, number)));
    }

    /** How messages are put on a connection, the same on both sides; STREAM unless set. */
    public NetioServer framing(Framing framing) {
        return with(settings.withFraming(framing));
    }

    /** With STREAM framing: bytes of the largest message received, in however many pages; 64 MiB unless set. */
    public NetioServer maxMessageSize(int bytes) {
        return with(settings.withStreams(streams -> streams.withMaxMessage(bytes)));
    }

    /**
     * With STREAM framing: bytes of received messages that may have begun and not ended on a connection; 128 MiB unless set.
     * {@link NetioLoops#reassemblyBudget} bounds the memory for them, of all connections.
     */
    public NetioServer reassemblyBudget(long bytes) {
        return with(settings.withStreams(streams -> streams.withReassemblyBudget(bytes)));
    }

    /** With STREAM framing: how many streams the peer may have subscribed to at a time; 4,096 unless set. */
    public NetioServer maxStreams(int number) {
        return with(settings.withStreams(streams -> streams.withMaxStreams(number)));
    }

    /**
     * With STREAM framing: how many messages each stream of its connections asks the peer for beyond what its subscriber has been
     * given, 16 MiB together at most; 0 unless set, which is the exact demand. {@link NetioStream#prefetch(int)} says more, and
     * sets it for one stream.
     */
    public NetioServer prefetch(int messages) {
        return with(settings.withPrefetch(Prefetch.of(messages)));
    }

    /** The same with another limit than 16 MiB, see {@link NetioStream#prefetch(int, long)}. */
    public NetioServer prefetch(int messages, long bytes) {
        return with(settings.withPrefetch(new Prefetch(messages, bytes)));
    }

    /** With STREAM framing: whether to insist on a checksum (CRC-32C) in every page of both sides; off unless set. */
    public NetioServer checksums(boolean wanted) {
        return with(settings.withStreams(streams -> streams.withChecksums(wanted)));
    }

    /**
     * With PAGE framing: a page that has {@code bytes} leaves at once; when no further message fits unless set. At most a send
     * buffer, which is a page's size.
     */
    public NetioServer pageWatermark(int bytes) {
        return with(settings.withPages(settings.pages().withWatermark(bytes)));
    }

    /**
     * With PAGE framing: how long a page that is not full waits for further messages, an hour at most. With 0, as unless set, it
     * leaves at the end of the loop's turn: as full as the turn had messages, and without waiting for any.
     */
    public NetioServer flushInterval(Duration interval) {
        return with(settings.withPages(settings.pages().withFlushInterval(interval)));
    }

    /** With RAW and PAGE framing: how a received stream ends; ERROR unless set. Refused with STREAM framing, which tells it. */
    public NetioServer rawEnd(RawEnd end) {
        return with(settings.withRawEnd(end));
    }

    /** How long the handshake of a connection may take; 5 s unless set. */
    public NetioServer connectTimeout(Duration timeout) {
        return with(settings.withConnectTimeout(timeout));
    }

    /**
     * Over plain TCP with STREAM framing: how many accepted sockets may have said nothing yet; 128 unless set. They have no
     * buffers, and one that is silent for half a second makes room for the next.
     */
    public NetioServer maxHandshakes(int number) {
        return with(settings.withMaxHandshakes(number));
    }

    /**
     * How long a peer that has vanished without a word may go unnoticed; 15 s unless set. With STREAM framing this side says
     * something three times in that time, so that its peer can tell. With RAW framing it is for verbs: TCP has its own.
     */
    public NetioServer keepAlive(Duration limit) {
        return with(settings.withKeepAlive(limit));
    }

    /** What {@code receiveLeased()} does when leases hold as many receive buffers as they may; COPY unless set. */
    public NetioServer leasePolicy(LeasePolicy policy) {
        return with(settings.withLeasePolicy(policy));
    }

    /** The loops to run on, instead of the shared one: it listens on one of them, and accepted connections go to all in turn. */
    public NetioServer runOn(NetioLoops loops) {
        return with(settings.withLoops(loops));
    }

    /**
     * Called on the loop with each new connection, before anything it sends is delivered. It must not block. What it throws is
     * logged and closes the connection.
     */
    public NetioServer doOnConnection(Consumer<? super NetioConnection> consumer) {
        return new NetioServer(settings, hooks.andOnConnection(consumer));
    }

    /** Called each time this server is about to bind, where it is subscribed to. */
    public NetioServer doOnBind(Consumer<? super NetioServer> consumer) {
        return new NetioServer(settings, hooks.andOnBind(consumer));
    }

    /** Called when it listens, before the subscriber of {@link #bind} is told. */
    public NetioServer doOnBound(Consumer<? super DisposableServer> consumer) {
        return new NetioServer(settings, hooks.andOnBound(consumer));
    }

    /** Called when it no longer listens. */
    public NetioServer doOnUnbound(Consumer<? super DisposableServer> consumer) {
        return new NetioServer(settings, hooks.andOnUnbound(consumer));
    }

    /** Tells {@code observer} of the life of each connection. */
    public NetioServer observe(ConnectionObserver observer) {
        return doOnConnection(Observing.with(observer));
    }

    /** Has {@code recorder} know each connection, for {@link NetioMetrics} or figures of one's own. */
    public NetioServer metrics(MetricsRecorder recorder) {
        return observe(Observing.recording(recorder));
    }

    /**
     * What to do with each connection. When the returned Publisher ends, the connection is closed; since {@code send} completes
     * only with delivery, nothing that it composes is lost. An error is logged and closes the connection too. With STREAM framing
     * the peer is told which: its {@code receive()} completes, or fails with the text of the error. Leases that the operators
     * discard are given back.
     *
     * <p>When the connection ends first, what receives and sends is told and the rest goes on, with messages that arrived before:
     * a handler that does neither for a time stops with {@code takeUntilOther(in.connection().onDispose())}.
     */
    public NetioServer handle(BiFunction<? super NetioInbound, ? super NetioOutbound, ? extends Publisher<Void>> handler) {
        return doOnConnection(connection -> connection.handle(handler));
    }

    /**
     * Listens when subscribed to, anew each time. An IllegalArgumentException says which settings do not go together. A cancel
     * before it listens gives that up. One in the very moment in which the server reaches the subscriber has that drop it, as
     * Reactor does: who cancels, and may not leave a server listening, disposes of those that
     * {@link reactor.core.publisher.Hooks#onNextDropped} is given.
     */
    public Mono<DisposableServer> bind() {
        return Mono.defer(() -> {
            FlowConfig flow = settings.flow();
            hooks.onBind().accept(this);
            NetioLoops loops = settings.loopsOrShared();
            OpenConnections connections = new OpenConnections();
            return loops.next().listen(settings.address(), flow, loops.all(), accepted -> accept(accepted, connections, loops),
                    listening -> bound(new DisposableServer(listening, connections), loops));
        });
    }

    private DisposableServer bound(DisposableServer server, NetioLoops loops) {
        loops.opened(server);
        server.onDispose().doFinally(signal -> hooks.onUnbound().accept(server)).subscribe();
        hooks.onBound().accept(server);
        return server;
    }

    private void accept(ConnectionFlow flow, OpenConnections connections, NetioLoops loops) {
        NetioConnection connection = new NetioConnection(flow);
        loops.opened(connection);
        if (connections.add(connection)) {
            hooks.onConnection().accept(connection);
        }
    }

    /** Listens and waits until it does, at most 10 s. Not for a loop's thread. */
    public DisposableServer bindNow() {
        return bindNow(Duration.ofSeconds(10));
    }

    /** Listens and waits until it does, at most {@code timeout}. Not for a loop's thread. */
    public DisposableServer bindNow(Duration timeout) {
        return Blocking.await(bind(), timeout, "listening on " + settings.host() + ":" + settings.port());
    }
}
