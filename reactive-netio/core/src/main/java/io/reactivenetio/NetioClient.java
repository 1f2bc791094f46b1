// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import io.reactivenetio.flow.ConnectionFlow;
import io.reactivenetio.stream.Prefetch;
import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.ConnectionParameters;
import java.time.Duration;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;

/**
 * Opens connections. Immutable: each setting returns a new client. {@link Framing} says how messages lie in the buffers.
 *
 * <p>Errors of {@link #connect}: {@link io.reactivenetio.transport.NetioConnectException} (nobody listens, unknown host,
 * time-out), {@link io.reactivenetio.transport.NetioProtocolException} (the peer is configured otherwise, or is none of ours),
 * {@link io.reactivenetio.transport.BackendUnavailableException} (no libfabric, no such provider),
 * {@link IllegalArgumentException} (settings that contradict each other, such as STREAM framing and shared buffers).
 */
public final class NetioClient {
    private final Settings settings;
    private final ClientHooks hooks;

    private NetioClient(Settings settings, ClientHooks hooks) {
        this.settings = settings;
        this.hooks = hooks;
    }

    /** To 127.0.0.1, provider tcp, STREAM framing, 32 buffers of 60 KiB in each direction, on the shared loop. */
    public static NetioClient create() {
        return new NetioClient(Settings.defaults(), ClientHooks.none());
    }

    private NetioClient with(Settings changed) {
        return new NetioClient(changed, hooks);
    }

    /** The peer's name or address. */
    public NetioClient host(String host) {
        return with(settings.withHost(host));
    }

    /** The peer's port. */
    public NetioClient port(int port) {
        return with(settings.withPort(port));
    }

    /** What carries the messages: libfabric unless set. {@code ASYNCMSG} is plain TCP and needs no libfabric. */
    public NetioClient backend(BackendType type) {
        return with(settings.withBackendType(type));
    }

    /** The libfabric provider: tcp, verbs, …; see fi_provider(7). Not sockets, which libfabric 2 has removed. */
    public NetioClient provider(String name) {
        return with(settings.withProvider(name));
    }

    /** {@code number} receive buffers of {@code size} bytes: the credits of the connection, and the largest message. */
    public NetioClient receiveBuffers(int size, int number) {
        return with(settings.withReceiveBuffers(size, number));
    }

    /** {@code number} send buffers of {@code size} bytes: the most messages in flight, and the largest message. */
    public NetioClient sendBuffers(int size, int number) {
        return with(settings.withSendBuffers(size, number));
    }

    /**
     * {@code number} receive buffers of {@code size} bytes for all connections together, instead of some for each: those that one
     * loop runs for servers and clients with the same settings. Memory then stays the same however many connections there are.
     * A message that nobody asks for keeps one from all of them; see docs/backend.md for how they are shared out. They stay
     * until the loop ends. Not with STREAM framing.
     */
    public NetioClient sharedReceiveBuffers(int size, int number) {
        return with(settings.withSharedReceiveBuffers(size, number));
    }

    /** The same for send buffers. Three more than asked for are allocated. */
    public NetioClient sharedSendBuffers(int size, int number) {
        return with(settings.withSharedSendBuffers(size, number));
    }

    /**
     * With RAW framing: lets its connections send from {@code region} without copying, see {@link NetioOutbound#sendRegion}:
     * messages of up to 8 MiB, 64 in flight.
     */
    public NetioClient region(NetioRegion region) {
        return region(region, region.largestMessage(), ConnectionParameters.DEFAULT_ZERO_COPY_SENDS);
    }

    /** The same, with messages of at most {@code largest} bytes, headers included, {@code number} of them in flight at most. */
    public NetioClient region(NetioRegion region, int largest, int number) {
        return with(settings.withBuffers(settings.buffers().withZeroCopy(region.memory(), largest, number)));
    }

    /** How messages are put on a connection, the same on both sides; STREAM unless set. */
    public NetioClient framing(Framing framing) {
        return with(settings.withFraming(framing));
    }

    /** With STREAM framing: bytes of the largest message received, in however many pages; 64 MiB unless set. */
    public NetioClient maxMessageSize(int bytes) {
        return with(settings.withStreams(streams -> streams.withMaxMessage(bytes)));
    }

    /**
     * With STREAM framing: bytes of received messages that may have begun and not ended on a connection; 128 MiB unless set.
     * {@link NetioLoops#reassemblyBudget} bounds the memory for them, of all connections.
     */
    public NetioClient reassemblyBudget(long bytes) {
        return with(settings.withStreams(streams -> streams.withReassemblyBudget(bytes)));
    }

    /** With STREAM framing: how many streams the peer may have subscribed to at a time; 4,096 unless set. */
    public NetioClient maxStreams(int number) {
        return with(settings.withStreams(streams -> streams.withMaxStreams(number)));
    }

    /**
     * With STREAM framing: how many messages each stream of its connections asks the peer for beyond what its subscriber has been
     * given, 16 MiB together at most; 0 unless set, which is the exact demand. {@link NetioStream#prefetch(int)} says more, and
     * sets it for one stream.
     */
    public NetioClient prefetch(int messages) {
        return with(settings.withPrefetch(Prefetch.of(messages)));
    }

    /** The same with another limit than 16 MiB, see {@link NetioStream#prefetch(int, long)}. */
    public NetioClient prefetch(int messages, long bytes) {
        return with(settings.withPrefetch(new Prefetch(messages, bytes)));
    }

    /** With STREAM framing: whether to insist on a checksum (CRC-32C) in every page of both sides; off unless set. */
    public NetioClient checksums(boolean wanted) {
        return with(settings.withStreams(streams -> streams.withChecksums(wanted)));
    }

    /**
     * With PAGE framing: a page that has {@code bytes} leaves at once; when no further message fits unless set. At most a send
     * buffer, which is a page's size.
     */
    public NetioClient pageWatermark(int bytes) {
        return with(settings.withPages(settings.pages().withWatermark(bytes)));
    }

    /**
     * With PAGE framing: how long a page that is not full waits for further messages, an hour at most. With 0, as unless set, it
     * leaves at the end of the loop's turn: as full as the turn had messages, and without waiting for any.
     */
    public NetioClient flushInterval(Duration interval) {
        return with(settings.withPages(settings.pages().withFlushInterval(interval)));
    }

    /** With RAW and PAGE framing: how a received stream ends; ERROR unless set. Refused with STREAM framing, which tells it. */
    public NetioClient rawEnd(RawEnd end) {
        return with(settings.withRawEnd(end));
    }

    /** How long connecting may take; 5 s unless set. */
    public NetioClient connectTimeout(Duration timeout) {
        return with(settings.withConnectTimeout(timeout));
    }

    /**
     * How long a peer that has vanished without a word may go unnoticed; 15 s unless set. With STREAM framing this side says
     * something three times in that time, so that its peer can tell. With RAW framing it is for verbs: TCP has its own.
     */
    public NetioClient keepAlive(Duration limit) {
        return with(settings.withKeepAlive(limit));
    }

    /** What {@code receiveLeased()} does when leases hold as many receive buffers as they may; COPY unless set. */
    public NetioClient leasePolicy(LeasePolicy policy) {
        return with(settings.withLeasePolicy(policy));
    }

    /** The loops to run on, instead of the shared one. */
    public NetioClient runOn(NetioLoops loops) {
        return with(settings.withLoops(loops));
    }

    /** Called each time this client is about to connect, where it is subscribed to. */
    public NetioClient doOnConnect(Consumer<? super NetioClient> consumer) {
        return new NetioClient(settings, hooks.andOnConnect(consumer));
    }

    /**
     * Called on the loop with each connection that is established, before the subscriber of {@link #connect} is told. What it
     * throws closes the connection and is what that subscriber gets.
     */
    public NetioClient doOnConnected(Consumer<? super NetioConnection> consumer) {
        return new NetioClient(settings, hooks.andOnConnected(consumer));
    }

    /** Called on the loop when such a connection is over, whichever side ended it. */
    public NetioClient doOnDisconnected(Consumer<? super NetioConnection> consumer) {
        return new NetioClient(settings, hooks.andOnDisconnected(consumer));
    }

    /**
     * What to do with each connection. When the returned Publisher ends, the connection is closed; since {@code send} completes
     * only with delivery, nothing that it composes is lost. An error is logged and closes the connection too. Leases that its
     * operators discard are given back.
     */
    public NetioClient handle(BiFunction<? super NetioInbound, ? super NetioOutbound, ? extends Publisher<Void>> handler) {
        return doOnConnected(connection -> connection.handle(handler));
    }

    /** Tells {@code observer} of the life of each connection. */
    public NetioClient observe(ConnectionObserver observer) {
        return doOnConnected(Observing.with(observer));
    }

    /** Has {@code recorder} know each connection, for {@link NetioMetrics} or figures of one's own. */
    public NetioClient metrics(MetricsRecorder recorder) {
        return observe(Observing.recording(recorder));
    }

    /**
     * Connects when subscribed to, anew each time; so {@code retryWhen} just works. An IllegalArgumentException says which
     * settings do not go together. A cancel before it is connected gives the attempt up. One in the very moment in which the
     * connection reaches the subscriber has that drop it, as Reactor does: who cancels, and may not leave a connection open,
     * disposes of those that {@link reactor.core.publisher.Hooks#onNextDropped} is given.
     */
    public Mono<NetioConnection> connect() {
        return Mono.defer(() -> {
            hooks.onConnect().accept(this);
            NetioLoops loops = settings.loopsOrShared();
            return loops.next().connect(settings.address(), settings.flow()).map(flow -> connected(flow, loops));
        });
    }

    private NetioConnection connected(ConnectionFlow flow, NetioLoops loops) {
        NetioConnection connection = new NetioConnection(flow);
        loops.opened(connection);
        connection.onDispose().doFinally(signal -> hooks.onDisconnected().accept(connection)).subscribe();
        try {
            hooks.onConnected().accept(connection);
        } catch (Throwable t) { // a hook of the user's: nobody will get the connection
            connection.dispose();
            throw t;
        }
        return connection;
    }

    /** Connects and waits, at most the connect time-out and a little. Not for a loop's thread. */
    public NetioConnection connectNow() {
        return connectNow(settings.backend().connectTimeout().plusSeconds(5));
    }

    /** Connects and waits, at most {@code timeout}. Not for a loop's thread. */
    public NetioConnection connectNow(Duration timeout) {
        return Blocking.await(connect(), timeout, "connecting to " + settings.host() + ":" + settings.port());
    }
}
