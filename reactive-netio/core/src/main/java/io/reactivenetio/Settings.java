// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import io.reactivenetio.api.LeasePolicy;
import io.reactivenetio.api.NetioPropagator;
import io.reactivenetio.connection.ConnectionConfig;
import io.reactivenetio.framing.page.PageConfig;
import io.reactivenetio.framing.page.PageFraming;
import io.reactivenetio.framing.raw.RawFraming;
import io.reactivenetio.framing.stream.Prefetch;
import io.reactivenetio.framing.stream.StreamConfig;
import io.reactivenetio.framing.stream.StreamFraming;
import io.reactivenetio.request.Propagation;
import io.reactivenetio.transport.BackendConfig;
import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.ConnectionParameters;
import io.reactivenetio.transport.Durations;
import io.reactivenetio.transport.SharedBuffers;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The values of the settings in {@link NetioTransport}, of {@link NetioServer#maxHandshakes} and of
 * {@link NetioServer#maxConnections}. An object does not change once it has been returned.
 */
final class Settings {
    private String host = "127.0.0.1";
    private int port;
    private BackendType backendType = BackendType.LIBFABRIC;
    private BackendConfig backend = BackendConfig.defaults();
    private ConnectionParameters buffers = ConnectionParameters.defaults();
    private Framing framing = Framing.STREAM;
    private StreamConfig streams = StreamConfig.defaults();
    private PageConfig pages = PageConfig.defaults();
    private @Nullable EndSignal endSignal;
    private LeasePolicy leasePolicy = LeasePolicy.COPY;
    private ByteOrder byteOrder = ByteOrder.BIG_ENDIAN;
    private @Nullable NetioLoops loops;
    private Propagation propagation = Propagation.NONE;

    private Settings() {
    }

    private Settings(Settings other) {
        host = other.host;
        port = other.port;
        backendType = other.backendType;
        backend = other.backend;
        buffers = other.buffers;
        framing = other.framing;
        streams = other.streams;
        pages = other.pages;
        endSignal = other.endSignal;
        leasePolicy = other.leasePolicy;
        byteOrder = other.byteOrder;
        loops = other.loops;
        propagation = other.propagation;
    }

    static Settings defaults() {
        return new Settings();
    }

    private Settings with(Consumer<Settings> change) {
        Settings changed = new Settings(this);
        change.accept(changed);
        return changed;
    }

    Settings withHost(String value) {
        if (value.isBlank()) {
            throw new IllegalArgumentException("host is blank");
        }
        return with(changed -> changed.host = value);
    }

    Settings withPort(int value) {
        if (value < 0 || value > 65_535) {
            throw new IllegalArgumentException("port must be between 0 and 65535: " + value);
        }
        return with(changed -> changed.port = value);
    }

    Settings withBackendType(BackendType value) {
        return with(changed -> changed.backendType = value);
    }

    Settings withProvider(String value) {
        return withBackend(backend.withProvider(value));
    }

    Settings withConnectTimeout(Duration value) {
        return withBackend(backend.withConnectTimeout(value));
    }

    Settings withMaxHandshakes(int value) {
        return withBackend(backend.withMaxHandshakes(value));
    }

    Settings withMaxConnections(int value) {
        return withBackend(backend.withMaxConnections(value));
    }

    private Settings withBackend(BackendConfig value) {
        return with(changed -> changed.backend = value);
    }

    Settings withKeepAlive(Duration value) {
        return withBackend(backend.withKeepAlive(value)).withStreams(all -> all.withSilence(value));
    }

    Settings withBuffers(ConnectionParameters value) {
        return with(changed -> changed.buffers = value);
    }

    /** Gives each connection receive buffers of its own, instead of shared ones. */
    Settings withReceiveBuffers(int size, int number) {
        return withBackend(backend.withSharedReceiveBuffers(null)).withBuffers(buffers.withReceiveBuffers(size, number));
    }

    /** Gives each connection send buffers of its own, instead of shared ones. */
    Settings withSendBuffers(int size, int number) {
        return withBackend(backend.withSharedSendBuffers(null)).withBuffers(buffers.withSendBuffers(size, number));
    }

    Settings withSharedReceiveBuffers(int size, int number) {
        return withBackend(backend.withSharedReceiveBuffers(new SharedBuffers(size, number)));
    }

    Settings withSharedSendBuffers(int size, int number) {
        return withBackend(backend.withSharedSendBuffers(new SharedBuffers(size, number)));
    }

    Settings withEndSignal(EndSignal value) {
        return with(changed -> changed.endSignal = value);
    }

    Settings withFraming(Framing value) {
        return with(changed -> changed.framing = value);
    }

    Settings withStreams(UnaryOperator<StreamConfig> change) {
        return with(changed -> changed.streams = change.apply(streams));
    }

    Settings withServeTimeout(Duration value) {
        if (value.isNegative()) {
            throw new IllegalArgumentException("serveTimeout must not be negative: " + value);
        }
        return withStreams(all -> all.withServeNanos(Durations.nanos(value)));
    }

    Settings withPrefetch(Prefetch value) {
        return withStreams(all -> all.withPrefetch(value));
    }

    Settings withPages(PageConfig value) {
        return with(changed -> changed.pages = value);
    }

    Settings withLeasePolicy(LeasePolicy value) {
        return with(changed -> changed.leasePolicy = value);
    }

    Settings withByteOrder(ByteOrder value) {
        return with(changed -> changed.byteOrder = value);
    }

    Settings withLoops(NetioLoops value) {
        return with(changed -> changed.loops = value);
    }

    Settings withPropagator(NetioPropagator value) {
        return withStreams(all -> all.withRequestHeaders(true)).with(changed -> changed.propagation = propagation.and(value));
    }

    InetSocketAddress address() {
        try {
            return new InetSocketAddress(InetAddress.ofLiteral(host), port);
        } catch (IllegalArgumentException name) {
            return InetSocketAddress.createUnresolved(host, port); // looked up on another thread, for each connection
        }
    }

    /**
     * These settings in the terms of the floors below.
     *
     * @throws IllegalArgumentException if settings contradict each other
     */
    ConnectionConfig connectionConfig() {
        if (framing == Framing.STREAM && endSignal != null) {
            throw new IllegalArgumentException("endSignal(" + endSignal + ") is for RAW and PAGE framing; with STREAM framing the"
                    + " end of a stream is told: leave it out, or configure framing(Framing.RAW) on both sides");
        }
        if (framing != Framing.STREAM && streams.prefetch().isFixed()) {
            throw new IllegalArgumentException("prefetch(" + streams.prefetch().messages() + ") is for STREAM framing; with "
                    + framing + " framing as many messages come ahead of demand as there are receive buffers: configure"
                    + " receiveBuffers(size, number) instead");
        }
        boolean emptyMessageEnds = endSignal == EndSignal.EMPTY_MESSAGE;
        boolean closeEnds = endSignal == EndSignal.PEER_CLOSE;
        io.reactivenetio.connection.FramingProvider chosen = switch (framing) {
            case RAW -> new RawFraming(emptyMessageEnds, closeEnds);
            case PAGE -> new PageFraming(emptyMessageEnds, closeEnds, pages.watermark(), pages.flushInterval().toNanos());
            case STREAM -> new StreamFraming(streams);
        };
        ConnectionConfig config = new ConnectionConfig(backendType, backend, buffers, chosen, leasePolicy, byteOrder);
        chosen.parameters(config, true); // refuses here what would be refused when there is a connection to be made
        return config;
    }

    NetioLoops loopsOrShared() {
        NetioLoops chosen = loops;
        return chosen != null ? chosen : NetioLoops.shared();
    }

    String host() {
        return host;
    }

    int port() {
        return port;
    }

    BackendType backendType() {
        return backendType;
    }

    BackendConfig backend() {
        return backend;
    }

    ConnectionParameters buffers() {
        return buffers;
    }

    Framing framing() {
        return framing;
    }

    StreamConfig streams() {
        return streams;
    }

    PageConfig pages() {
        return pages;
    }

    @Nullable EndSignal endSignal() {
        return endSignal;
    }

    LeasePolicy leasePolicy() {
        return leasePolicy;
    }

    ByteOrder byteOrder() {
        return byteOrder;
    }

    @Nullable NetioLoops loops() {
        return loops;
    }

    Propagation propagation() {
        return propagation;
    }
}
