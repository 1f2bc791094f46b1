// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import io.reactivenetio.access.Access;
import io.reactivenetio.api.LeasePolicy;
import io.reactivenetio.api.NetioPropagator;
import io.reactivenetio.connection.ConnectionConfig;
import io.reactivenetio.connection.WiretapConfig;
import io.reactivenetio.diagnostics.UserCode;
import io.reactivenetio.request.Propagation;
import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.backend.Addresses;
import io.reactivenetio.transport.backend.BackendConfig;
import io.reactivenetio.transport.backend.ConnectionParameters;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The values of the settings in {@link NetioTransport}, of {@link NetioServer#maxHandshakes} and
 * {@link NetioServer#maxConnections}, and of who may connect and do what. An object does not change once it has been returned.
 */
final class Settings {
    private String host = "127.0.0.1";
    private int port;
    private @Nullable Supplier<? extends SocketAddress> address;
    private BackendType backendType = BackendType.AUTO;
    private BackendConfig backend = BackendConfig.defaults();
    private ConnectionParameters buffers = ConnectionParameters.defaults();
    private Framing framing = Framing.stream();
    private LeasePolicy leasePolicy = LeasePolicy.COPY;
    private ByteOrder byteOrder = ByteOrder.BIG_ENDIAN;
    private @Nullable NetioLoops loops;
    private Propagation propagation = Propagation.NONE;
    private @Nullable WiretapConfig wiretap;
    private @Nullable Tls tls;
    private Access access = Access.NONE;

    private Settings() {
    }

    private Settings(Settings other) {
        host = other.host;
        port = other.port;
        address = other.address;
        backendType = other.backendType;
        backend = other.backend;
        buffers = other.buffers;
        framing = other.framing;
        leasePolicy = other.leasePolicy;
        byteOrder = other.byteOrder;
        loops = other.loops;
        propagation = other.propagation;
        wiretap = other.wiretap;
        tls = other.tls;
        access = other.access;
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
        return with(changed -> {
            changed.host = value;
            changed.address = null;
        });
    }

    Settings withPort(int value) {
        if (value < 0 || value > 65_535) {
            throw new IllegalArgumentException("port must be between 0 and 65535: " + value);
        }
        return with(changed -> {
            changed.port = value;
            changed.address = null;
        });
    }

    Settings withAddress(Supplier<? extends SocketAddress> value) {
        Objects.requireNonNull(value, "address");
        return with(changed -> changed.address = value);
    }

    Settings withBackendType(BackendType value) {
        return with(changed -> changed.backendType = value);
    }

    /** Names a provider of libfabric, which so is chosen in place of AUTO. A backend that is named before or after counts. */
    Settings withProvider(String value) {
        return withBackend(backend.withProvider(value))
                .with(changed -> changed.backendType = backendType == BackendType.AUTO ? BackendType.LIBFABRIC : backendType);
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
        return withBackend(backend.withKeepAlive(value));
    }

    private Settings withBuffers(ConnectionParameters value) {
        return with(changed -> changed.buffers = value);
    }

    Settings withReceiveBuffers(int size, int number) {
        return withBuffers(buffers.withReceiveBuffers(size, number));
    }

    Settings withSendBuffers(int size, int number) {
        return withBuffers(buffers.withSendBuffers(size, number));
    }

    Settings withFraming(Framing value) {
        return with(changed -> changed.framing = value);
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
        return with(changed -> changed.propagation = propagation.and(value));
    }

    Settings withWiretap(@Nullable WiretapConfig value) {
        return with(changed -> changed.wiretap = value);
    }

    Settings withTls(Tls value) {
        return with(changed -> changed.tls = value);
    }

    Settings withAccess(UnaryOperator<Access> change) {
        return with(changed -> changed.access = change.apply(access));
    }

    /** The address, which a supplier is asked for now. */
    SocketAddress address() {
        Supplier<? extends SocketAddress> supplier = address;
        if (supplier != null) {
            try {
                return Addresses.valid(Objects.requireNonNull(supplier.get(), "the supplier of the address returned null"));
            } catch (Throwable t) { // the user's
                throw UserCode.rethrown(t);
            }
        }
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
        ConnectionConfig config = new ConnectionConfig(backendType, framing.backend(backend), framing.buffers(buffers),
                framing.provider(backend.keepAlive()), leasePolicy, byteOrder, wiretap,
                tls == null ? null : tls.engines(), access);
        config.validate();
        return config;
    }

    NetioLoops loopsOrShared() {
        NetioLoops chosen = loops;
        return chosen != null ? chosen : NetioLoops.shared();
    }

    /** The address, for errors. */
    String where() {
        return address != null ? "the supplied address" : host + ":" + port;
    }

    BackendConfig backend() {
        return backend;
    }

    Framing framing() {
        return framing;
    }

    Propagation propagation() {
        return propagation;
    }
}
