// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import io.reactivenetio.transport.BackendType;
import java.time.Duration;
import reactor.core.publisher.Mono;

/**
 * Opens connections. Immutable: each setting returns a new client. RAW framing: one message per buffer, see {@link RawEnd}.
 *
 * <p>Errors of {@link #connect}: {@link io.reactivenetio.transport.NetioConnectException} (nobody listens, unknown host,
 * time-out), {@link io.reactivenetio.transport.BackendUnavailableException} (no libfabric, no such provider).
 */
public final class NetioClient {
    private final Settings settings;

    private NetioClient(Settings settings) {
        this.settings = settings;
    }

    /** To 127.0.0.1, provider tcp, 32 buffers of 60 KiB in each direction, on the shared loop. */
    public static NetioClient create() {
        return new NetioClient(Settings.defaults());
    }

    /** The peer's name or address. */
    public NetioClient host(String host) {
        return new NetioClient(settings.withHost(host));
    }

    /** The peer's port. */
    public NetioClient port(int port) {
        return new NetioClient(settings.withPort(port));
    }

    /** What carries the messages: libfabric unless set. {@code ASYNCMSG} is plain TCP and needs no libfabric. */
    public NetioClient backend(BackendType type) {
        return new NetioClient(settings.withBackendType(type));
    }

    /** The libfabric provider: tcp, verbs, sockets, …; see fi_provider(7). */
    public NetioClient provider(String name) {
        return new NetioClient(settings.withProvider(name));
    }

    /** {@code number} receive buffers of {@code size} bytes: the credits of the connection, and the largest message. */
    public NetioClient receiveBuffers(int size, int number) {
        return new NetioClient(settings.withBuffers(settings.buffers().withReceiveBuffers(size, number)));
    }

    /** {@code number} send buffers of {@code size} bytes: the most messages in flight, and the largest message. */
    public NetioClient sendBuffers(int size, int number) {
        return new NetioClient(settings.withBuffers(settings.buffers().withSendBuffers(size, number)));
    }

    /** How a received stream ends. */
    public NetioClient rawEnd(RawEnd end) {
        return new NetioClient(settings.withRawEnd(end));
    }

    /** How long connecting may take; 5 s unless set. */
    public NetioClient connectTimeout(Duration timeout) {
        return new NetioClient(settings.withConnectTimeout(timeout));
    }

    /** What {@code receiveLeased()} does when leases hold as many receive buffers as they may; COPY unless set. */
    public NetioClient leasePolicy(LeasePolicy policy) {
        return new NetioClient(settings.withLeasePolicy(policy));
    }

    /** The loops to run on, instead of the shared one. */
    public NetioClient runOn(NetioLoops loops) {
        return new NetioClient(settings.withLoops(loops));
    }

    /** Connects when subscribed to, anew each time; so {@code retryWhen} just works. */
    public Mono<NetioConnection> connect() {
        return Mono.defer(() -> settings.loopsOrShared().next().connect(settings.address(), settings.flow()))
                .map(NetioConnection::new);
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
