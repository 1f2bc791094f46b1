// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import io.reactivenetio.flow.ConnectionFlow;
import io.reactivenetio.flow.FlowConfig;
import io.reactivenetio.transport.BackendType;
import java.time.Duration;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import org.reactivestreams.Publisher;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Accepts connections. Immutable: each setting returns a new server. RAW framing: one message per buffer, see {@link RawEnd}.
 *
 * <p>Errors of {@link #bind}: {@link io.reactivenetio.transport.NetioBindException} (address in use or not possible),
 * {@link io.reactivenetio.transport.InvalidEndpointAddressException} (unknown host),
 * {@link io.reactivenetio.transport.BackendUnavailableException} (no libfabric, no such provider).
 */
public final class NetioServer {
    private static final Logger LOG = LoggerFactory.getLogger(NetioServer.class);

    private final Settings settings;
    private final ServerHooks hooks;

    private NetioServer(Settings settings, ServerHooks hooks) {
        this.settings = settings;
        this.hooks = hooks;
    }

    /** On 127.0.0.1 and a free port, provider tcp, 32 buffers of 60 KiB in each direction, on the shared loop. */
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

    /** The libfabric provider: tcp, verbs, sockets, …; see fi_provider(7). */
    public NetioServer provider(String name) {
        return with(settings.withProvider(name));
    }

    /** {@code number} receive buffers of {@code size} bytes for each connection: its credits, and the largest message. */
    public NetioServer receiveBuffers(int size, int number) {
        return with(settings.withBuffers(settings.buffers().withReceiveBuffers(size, number)));
    }

    /** {@code number} send buffers of {@code size} bytes for each connection: its most messages in flight, and the largest. */
    public NetioServer sendBuffers(int size, int number) {
        return with(settings.withBuffers(settings.buffers().withSendBuffers(size, number)));
    }

    /** How a received stream ends. */
    public NetioServer rawEnd(RawEnd end) {
        return with(settings.withRawEnd(end));
    }

    /** Over verbs: how long an idle peer that has vanished may go unnoticed; 15 s unless set. */
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

    /** Called on the loop with each new connection, before anything it sends is delivered. It must not block. */
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

    /**
     * What to do with each connection. When the returned Publisher ends, the connection is closed; since {@code send} completes
     * only with delivery, nothing that it composes is lost. An error is logged and closes the connection too. Leases that its
     * operators discard are given back.
     */
    public NetioServer handle(BiFunction<? super NetioInbound, ? super NetioOutbound, ? extends Publisher<Void>> handler) {
        return doOnConnection(connection -> DiscardedLeases
                .closed(Flux.defer(() -> handler.apply(connection, connection)))
                .doFinally(signal -> connection.dispose())
                .subscribe(nothing -> { }, error -> LOG.warn("{} ended: {}", connection, error.toString())));
    }

    /** Listens when subscribed to. */
    public Mono<DisposableServer> bind() {
        FlowConfig flow = settings.flow();
        return Mono.defer(() -> {
            hooks.onBind().accept(this);
            NetioLoops loops = settings.loopsOrShared();
            AcceptedConnections connections = new AcceptedConnections();
            return loops.next().listen(settings.address(), flow, loops.all(), accepted -> accept(accepted, connections),
                    listening -> bound(new DisposableServer(listening, connections)));
        });
    }

    private DisposableServer bound(DisposableServer server) {
        server.onDispose().doFinally(signal -> hooks.onUnbound().accept(server)).subscribe();
        hooks.onBound().accept(server);
        return server;
    }

    private void accept(ConnectionFlow flow, AcceptedConnections connections) {
        NetioConnection connection = new NetioConnection(flow);
        connections.add(connection);
        hooks.onConnection().accept(connection);
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
