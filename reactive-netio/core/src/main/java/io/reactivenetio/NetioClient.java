// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import io.reactivenetio.flow.ConnectionFlow;
import io.reactivenetio.transport.BackendType;
import java.time.Duration;
import java.util.function.Consumer;
import reactor.core.publisher.Mono;

/**
 * Opens connections. Immutable: each setting returns a new client. RAW framing: one message per buffer, see {@link RawEnd}.
 *
 * <p>Errors of {@link #connect}: {@link io.reactivenetio.transport.NetioConnectException} (nobody listens, unknown host,
 * time-out), {@link io.reactivenetio.transport.BackendUnavailableException} (no libfabric, no such provider).
 */
public final class NetioClient {
    private final Settings settings;
    private final ClientHooks hooks;

    private NetioClient(Settings settings, ClientHooks hooks) {
        this.settings = settings;
        this.hooks = hooks;
    }

    /** To 127.0.0.1, provider tcp, 32 buffers of 60 KiB in each direction, on the shared loop. */
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

    /** The libfabric provider: tcp, verbs, sockets, …; see fi_provider(7). */
    public NetioClient provider(String name) {
        return with(settings.withProvider(name));
    }

    /** {@code number} receive buffers of {@code size} bytes: the credits of the connection, and the largest message. */
    public NetioClient receiveBuffers(int size, int number) {
        return with(settings.withBuffers(settings.buffers().withReceiveBuffers(size, number)));
    }

    /** {@code number} send buffers of {@code size} bytes: the most messages in flight, and the largest message. */
    public NetioClient sendBuffers(int size, int number) {
        return with(settings.withBuffers(settings.buffers().withSendBuffers(size, number)));
    }

    /** How a received stream ends. */
    public NetioClient rawEnd(RawEnd end) {
        return with(settings.withRawEnd(end));
    }

    /** How long connecting may take; 5 s unless set. */
    public NetioClient connectTimeout(Duration timeout) {
        return with(settings.withConnectTimeout(timeout));
    }

    /** Over verbs: how long an idle peer that has vanished may go unnoticed; 15 s unless set. */
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

    /** Called on the loop with each connection that is established, before the subscriber of {@link #connect} is told. */
    public NetioClient doOnConnected(Consumer<? super NetioConnection> consumer) {
        return new NetioClient(settings, hooks.andOnConnected(consumer));
    }

    /** Called on the loop when such a connection is over, whichever side ended it. */
    public NetioClient doOnDisconnected(Consumer<? super NetioConnection> consumer) {
        return new NetioClient(settings, hooks.andOnDisconnected(consumer));
    }

    /** Connects when subscribed to, anew each time; so {@code retryWhen} just works. */
    public Mono<NetioConnection> connect() {
        return Mono.defer(() -> {
            hooks.onConnect().accept(this);
            return settings.loopsOrShared().next().connect(settings.address(), settings.flow());
        }).map(this::connected);
    }

    private NetioConnection connected(ConnectionFlow flow) {
        NetioConnection connection = new NetioConnection(flow);
        connection.onDispose().doFinally(signal -> hooks.onDisconnected().accept(connection)).subscribe();
        hooks.onConnected().accept(connection);
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
