// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.connection;

import io.reactivenetio.access.Access;
import io.reactivenetio.api.LeasePolicy;
import io.reactivenetio.api.NetioCredentials;
import io.reactivenetio.api.Network;
import io.reactivenetio.lease.LeaseWindow;
import io.reactivenetio.send.Outbound;
import io.reactivenetio.send.SharedSendBudget;
import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.backend.BackendConfig;
import io.reactivenetio.transport.backend.ConnectionParameters;
import io.reactivenetio.transport.backend.MemoryRegion;
import io.reactivenetio.transport.backend.SharedBuffers;
import io.reactivenetio.transport.tls.SealedSizes;
import io.reactivenetio.transport.tls.TlsEngines;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteOrder;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The configuration of a server's or client's connections.
 *
 * @param parameters the buffers that the user wants
 * @param atLeaseCap what becomes of messages when no further receive buffer may be leased
 * @param byteOrder of all buffers that the user is shown
 * @param wiretap what is logged of the buffers; null for nothing
 * @param tls makes the TLS engine of each connection; null without TLS
 * @param access who may connect, and what they may do
 */
public record ConnectionConfig(BackendType backendType, BackendConfig backend, ConnectionParameters parameters,
        FramingProvider framing, LeasePolicy atLeaseCap, ByteOrder byteOrder, @Nullable WiretapConfig wiretap,
        @Nullable TlsEngines tls, Access access) {

    public ConnectionConfig {
        SharedBuffers shared = backend.sharedReceiveBuffers();
        int credits = shared == null ? parameters.receiveBuffers() : shared.number();
        if (atLeaseCap != LeasePolicy.COPY && LeaseWindow.cap(credits) == 0) {
            throw new IllegalArgumentException("with one receive buffer nothing is left beside a lease, so that only the lease"
                    + " policy COPY can work: use 2 receive buffers or more");
        }
        if (tls != null && (shared != null || backend.sharedSendBuffers() != null)) {
            throw new IllegalArgumentException("secure(…) and shared buffers do not go together: with TLS each connection seals"
                    + " and opens messages in buffers of its own");
        }
        if (tls == null && access.credentials() instanceof NetioCredentials.Token) {
            throw new IllegalArgumentException("credentials(token(…)) without secure(…): everybody on the way could use the"
                    + " token");
        }
        if (!framing.hasStreams() && (access.hasExchange() || access.authorizer() != null)) {
            throw new IllegalArgumentException("credentials(…), authenticate(…) and authorize(…) need STREAM framing; with RAW"
                    + " and PAGE framing secure(…) with certificates of the clients says who they are");
        }
    }

    /** Without a wiretap, TLS and rights. */
    public ConnectionConfig(BackendType backendType, BackendConfig backend, ConnectionParameters parameters,
            FramingProvider framing, LeasePolicy atLeaseCap, ByteOrder byteOrder) {
        this(backendType, backend, parameters, framing, atLeaseCap, byteOrder, null, null, Access.NONE);
    }

    boolean isAuto() {
        return backendType == BackendType.AUTO;
    }

    /**
     * Returns these settings for each network that a connection to or from {@code address} may take, the fastest first. That is
     * one network unless the backend is AUTO. Within this machine plain TCP is the fastest.
     */
    List<ConnectionConfig> networks(SocketAddress address, RdmaDevices devices) {
        return isAuto() && devices.arePresent() && address instanceof InetSocketAddress inet
                && !inet.getAddress().isLoopbackAddress() ? List.of(overVerbs(), overPlainTcp())
                : List.of(overPlainTcp());
    }

    /** Returns these settings over plain TCP if the backend is AUTO, else these. */
    ConnectionConfig overPlainTcp() {
        return isAuto() ? over(Network.PLAIN_TCP) : this;
    }

    ConnectionConfig overVerbs() {
        return over(Network.VERBS);
    }

    private ConnectionConfig over(Network network) {
        BackendConfig on = network.provider().isEmpty() ? backend : backend.withProvider(network.provider());
        return new ConnectionConfig(network.backend(), on, parameters, framing, atLeaseCap, byteOrder, wiretap, tls, access);
    }

    /** What the connections of these are carried by. Not for AUTO. */
    Network network() {
        return backendType == BackendType.TCP ? Network.PLAIN_TCP : new Network(backendType, backend.provider());
    }

    /** How many receive buffers a connection has, either its own or shared ones. */
    public int receiveBuffers() {
        SharedBuffers shared = backend.sharedReceiveBuffers();
        return shared == null ? parameters.receiveBuffers() : shared.number();
    }

    /** How many send buffers a connection has, either its own or shared ones, with those that {@link Outbound} needs. */
    int sendBuffers() {
        SharedBuffers shared = backend.sharedSendBuffers();
        return more(shared == null ? parameters.sendBuffers() : shared.number());
    }

    public int sendBufferSize() {
        SharedBuffers shared = backend.sharedSendBuffers();
        return shared == null ? parameters.sendBufferSize() : shared.size();
    }

    public boolean sharesSendBuffers() {
        return backend.sharedSendBuffers() != null;
    }

    /** A new budget, for all connections of a backend that share send buffers, or for one that has its own. */
    SharedSendBudget budget() {
        return new SharedSendBudget(sharesSendBuffers() ? Math.max(1, sendBuffers() / 2) : Integer.MAX_VALUE);
    }

    boolean sharesBuffers() {
        return sharesSendBuffers() || backend.sharedReceiveBuffers() != null;
    }

    /** The backend's configuration, with the send buffers that {@link Outbound} needs besides the user's shared ones. */
    BackendConfig backendConfig() {
        SharedBuffers shared = backend.sharedSendBuffers();
        return shared == null ? backend : backend.withSharedSendBuffers(new SharedBuffers(shared.size(), sendBuffers()));
    }

    /** Whether a server has said nothing of who may connect, and cannot ask. */
    public boolean letsEverybodyIn() {
        return !framing.hasStreams() && tls == null && !access.networks().areNamed();
    }

    /** Whether more is said on a connection before it can be used. */
    boolean isMadeAtOnce() {
        return tls == null && !access.hasExchange();
    }

    /** The parameters of a connection: the user's, and what the framing needs besides. */
    ConnectionParameters plainParameters(boolean connects) {
        return framing.parameters(this, connects);
    }

    /** The parameters of the endpoint of a connection: its own, or what TLS makes of them. */
    ConnectionParameters endpointParameters(boolean connects) {
        ConnectionParameters plain = plainParameters(connects);
        return tls == null ? plain : SealedSizes.of(plain);
    }

    /**
     * Refuses what would be refused when there is a connection to be made.
     *
     * @throws IllegalArgumentException if settings contradict each other
     */
    public void validate() {
        endpointParameters(true);
    }

    /** The user's parameters, with the send buffers and zero-copy sends that {@link Outbound} needs besides. */
    public ConnectionParameters outboundParameters() {
        ConnectionParameters own = parameters
                .withReceiveBuffers(parameters.receiveBufferSize(), backend.sharedReceiveBuffers() == null ? receiveBuffers() : 0)
                .withSendBuffers(parameters.sendBufferSize(), sharesSendBuffers() ? 0 : sendBuffers());
        MemoryRegion region = parameters.region();
        return region == null ? own : own.withZeroCopy(region, parameters.zeroCopySize(), more(parameters.zeroCopySends()));
    }

    private static int more(int number) {
        return Math.min(number + Outbound.RESERVE, ConnectionParameters.MAX_BUFFERS);
    }
}
