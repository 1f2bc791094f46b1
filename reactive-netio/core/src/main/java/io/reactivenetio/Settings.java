// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import io.reactivenetio.flow.FlowConfig;
import io.reactivenetio.transport.BackendConfig;
import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.ConnectionParameters;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What server and client builders have in common. */
record Settings(String host, int port, BackendType backendType, BackendConfig backend, ConnectionParameters buffers,
        RawEnd rawEnd, LeasePolicy leasePolicy, @Nullable NetioLoops loops) {

    static Settings defaults() {
        return new Settings("127.0.0.1", 0, BackendType.LIBFABRIC, BackendConfig.defaults(), ConnectionParameters.defaults(),
                RawEnd.ERROR, LeasePolicy.COPY, null);
    }

    Settings withHost(String value) {
        if (value.isBlank()) {
            throw new IllegalArgumentException("host is blank");
        }
        return new Settings(value, port, backendType, backend, buffers, rawEnd, leasePolicy, loops);
    }

    Settings withPort(int value) {
        if (value < 0 || value > 65_535) {
            throw new IllegalArgumentException("port must be between 0 and 65535: " + value);
        }
        return new Settings(host, value, backendType, backend, buffers, rawEnd, leasePolicy, loops);
    }

    Settings withBackendType(BackendType value) {
        return new Settings(host, port, value, backend, buffers, rawEnd, leasePolicy, loops);
    }

    Settings withProvider(String value) {
        return new Settings(host, port, backendType, backend.withProvider(value), buffers, rawEnd, leasePolicy, loops);
    }

    Settings withConnectTimeout(Duration value) {
        return new Settings(host, port, backendType, backend.withConnectTimeout(value), buffers, rawEnd, leasePolicy, loops);
    }

    Settings withKeepAlive(Duration value) {
        return new Settings(host, port, backendType, backend.withKeepAlive(value), buffers, rawEnd, leasePolicy, loops);
    }

    Settings withBuffers(ConnectionParameters value) {
        return new Settings(host, port, backendType, backend, value, rawEnd, leasePolicy, loops);
    }

    Settings withRawEnd(RawEnd value) {
        return new Settings(host, port, backendType, backend, buffers, value, leasePolicy, loops);
    }

    Settings withLeasePolicy(LeasePolicy value) {
        return new Settings(host, port, backendType, backend, buffers, rawEnd, value, loops);
    }

    Settings withLoops(NetioLoops value) {
        return new Settings(host, port, backendType, backend, buffers, rawEnd, leasePolicy, value);
    }

    InetSocketAddress address() {
        return InetSocketAddress.createUnresolved(host, port);
    }

    FlowConfig flow() {
        return new FlowConfig(backendType, backend, buffers, rawEnd == RawEnd.EMPTY_MESSAGE, rawEnd == RawEnd.PEER_CLOSE,
                leasePolicy.flow());
    }

    NetioLoops loopsOrShared() {
        NetioLoops chosen = loops;
        return chosen != null ? chosen : NetioLoops.shared();
    }
}
