// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import io.reactivenetio.connection.ConnectionConfig;
import io.reactivenetio.framing.page.PageFraming;
import io.reactivenetio.framing.raw.RawFraming;
import io.reactivenetio.framing.stream.Prefetch;
import io.reactivenetio.framing.stream.StreamConfig;
import io.reactivenetio.framing.stream.StreamFraming;
import io.reactivenetio.lease.LeaseCapPolicy;
import io.reactivenetio.transport.BackendConfig;
import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.ConnectionParameters;
import io.reactivenetio.transport.SharedBuffers;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The values of the settings in {@link NetioTransport}, and of {@link NetioServer#maxHandshakes}. */
record Settings(String host, int port, BackendType backendType, BackendConfig backend, ConnectionParameters buffers,
        Framing framing, StreamConfig streams, PageConfig pages, @Nullable EndSignal endSignal, LeasePolicy leasePolicy,
        @Nullable NetioLoops loops) {

    static Settings defaults() {
        return new Settings("127.0.0.1", 0, BackendType.LIBFABRIC, BackendConfig.defaults(), ConnectionParameters.defaults(),
                Framing.STREAM, StreamConfig.defaults(), PageConfig.defaults(), null, LeasePolicy.COPY, null);
    }

    Settings withHost(String value) {
        if (value.isBlank()) {
            throw new IllegalArgumentException("host is blank");
        }
        return new Settings(value, port, backendType, backend, buffers, framing, streams, pages, endSignal, leasePolicy, loops);
    }

    Settings withPort(int value) {
        if (value < 0 || value > 65_535) {
            throw new IllegalArgumentException("port must be between 0 and 65535: " + value);
        }
        return new Settings(host, value, backendType, backend, buffers, framing, streams, pages, endSignal, leasePolicy, loops);
    }

    Settings withBackendType(BackendType value) {
        return new Settings(host, port, value, backend, buffers, framing, streams, pages, endSignal, leasePolicy, loops);
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

    private Settings withBackend(BackendConfig value) {
        return new Settings(host, port, backendType, value, buffers, framing, streams, pages, endSignal, leasePolicy, loops);
    }

    Settings withKeepAlive(Duration value) {
        return withBackend(backend.withKeepAlive(value)).withStreams(all -> all.withSilence(value));
    }

    Settings withBuffers(ConnectionParameters value) {
        return new Settings(host, port, backendType, backend, value, framing, streams, pages, endSignal, leasePolicy, loops);
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
        return new Settings(host, port, backendType, backend, buffers, framing, streams, pages, value, leasePolicy, loops);
    }

    Settings withFraming(Framing value) {
        return new Settings(host, port, backendType, backend, buffers, value, streams, pages, endSignal, leasePolicy, loops);
    }

    Settings withStreams(UnaryOperator<StreamConfig> change) {
        return new Settings(host, port, backendType, backend, buffers, framing, change.apply(streams), pages, endSignal,
                leasePolicy, loops);
    }

    Settings withPrefetch(Prefetch value) {
        return withStreams(all -> all.withPrefetch(value));
    }

    Settings withPages(PageConfig value) {
        return new Settings(host, port, backendType, backend, buffers, framing, streams, value, endSignal, leasePolicy, loops);
    }

    Settings withLeasePolicy(LeasePolicy value) {
        return new Settings(host, port, backendType, backend, buffers, framing, streams, pages, endSignal, value, loops);
    }

    Settings withLoops(NetioLoops value) {
        return new Settings(host, port, backendType, backend, buffers, framing, streams, pages, endSignal, leasePolicy, value);
    }

    InetSocketAddress address() {
        return InetSocketAddress.createUnresolved(host, port);
    }

    /**
     * These settings in the terms of the floors below.
     *
     * @throws IllegalArgumentException if settings contradict each other
     */
    ConnectionConfig flow() {
        if (framing == Framing.STREAM && endSignal != null) {
            throw new IllegalArgumentException("endSignal(" + endSignal + ") is for RAW and PAGE framing; with STREAM framing the"
                    + " end of a stream is told: leave it out, or configure framing(Framing.RAW) on both sides");
        }
        if (framing != Framing.STREAM && streams.prefetch().messages() > 0) {
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
        LeaseCapPolicy atLeaseCap = switch (leasePolicy) {
            case COPY -> LeaseCapPolicy.COPY;
            case WAIT -> LeaseCapPolicy.WAIT;
            case ERROR -> LeaseCapPolicy.FAIL;
        };
        return new ConnectionConfig(backendType, backend, buffers, chosen, atLeaseCap);
    }

    NetioLoops loopsOrShared() {
        NetioLoops chosen = loops;
        return chosen != null ? chosen : NetioLoops.shared();
    }
}
