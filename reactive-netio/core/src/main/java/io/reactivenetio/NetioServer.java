// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import io.reactivenetio.access.AllowedNetworks;
import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.NetioAuthenticator;
import io.reactivenetio.api.NetioAuthorizer;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.connection.Connection;
import io.reactivenetio.connection.ConnectionConfig;
import io.reactivenetio.diagnostics.UserCode;
import io.reactivenetio.lifecycle.BlockingMono;
import io.reactivenetio.lifecycle.DefaultConnection;
import io.reactivenetio.lifecycle.DefaultServer;
import io.reactivenetio.lifecycle.OpenConnections;
import io.reactivenetio.lifecycle.ServerHooks;
import io.reactivenetio.transport.backend.Addresses;
import io.reactivenetio.transport.exceptions.BackendUnavailableException;
import io.reactivenetio.transport.exceptions.InvalidEndpointAddressException;
import io.reactivenetio.transport.exceptions.NetioBindException;
import io.reactivenetio.transport.exceptions.NetioException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Supplier;
import reactor.core.publisher.Mono;

/**
 * Accepts connections. A server is immutable: each setting returns a changed copy. {@link NetioTransport} has the settings that
 * a client has, too, and {@link Framing} says how messages lie in the buffers. All methods may be called on any thread, except
 * {@code bindNow}.
 *
 * <p>{@link #bind} fails with {@link NetioBindException} if the address is in use or cannot be bound,
 * with {@link InvalidEndpointAddressException} if the host is unknown, with
 * {@link BackendUnavailableException} if the backend is LIBFABRIC and there is none, or no such provider, and with
 * {@link IllegalArgumentException} if settings contradict each other, such as STREAM framing and shared buffers.
 */
public final class NetioServer extends NetioTransport<NetioServer> {
    private final ServerHooks<NetioServer> hooks;

    private NetioServer(Settings settings, ServerHooks<NetioServer> hooks) {
        super(settings);
        this.hooks = hooks;
    }

    /**
     * A server on 127.0.0.1 and a free port, over each network that it has there, with STREAM framing and 32 buffers of 60 KiB in
     * each direction, on the shared loop.
     */
    public static NetioServer create() {
        return new NetioServer(Settings.defaults(), ServerHooks.none());
    }

    @Override
    NetioServer duplicate(Settings changed) {
        return new NetioServer(changed, hooks);
    }

    @Override
    NetioServer withOnConnection(Consumer<? super NetioConnection> consumer) {
        return doOnConnection(consumer);
    }

    /**
     * The address to listen on, instead of {@link #host} and {@link #port}, of which the last that is set counts. The supplier is
     * asked at each {@link #bind}, on the thread that subscribes. What it throws is what the subscriber gets. It must not return
     * null.
     *
     * <p>With a {@link java.net.UnixDomainSocketAddress} the server listens on a Unix socket (unix(7)), over plain TCP or AUTO.
     * The file must not be there, unless it is a socket whose server has died. It is deleted when the server no longer listens.
     * Who may write to it may connect: its rights are those of the process's umask until the program changes them. {@link #allow}
     * and {@link #maxConnectionsPerAddress} do not concern its clients, who have no address.
     */
    public NetioServer bindAddress(Supplier<? extends SocketAddress> address) {
        return duplicate(settings().withAddress(address));
    }

    /**
     * Over plain TCP with STREAM framing or TLS: of how many accepted sockets the peers may not have said what comes first, which
     * is the handshake of STREAM framing and the first message of TLS; 1,024 unless set. They have no buffers. When there are as
     * many, the oldest makes room for the next, of the address that has most of them.
     *
     * @throws IllegalArgumentException if it is less than 1
     */
    public NetioServer maxHandshakes(int number) {
        return duplicate(settings().withMaxHandshakes(number));
    }

    /**
     * How many connections this server has at a time; 4,096 unless set. A further one is refused, which the log says, and its
     * client gets a NetioConnectException. Clients that reconnect get in when another has gone.
     *
     * @throws IllegalArgumentException if it is less than 1
     */
    public NetioServer maxConnections(int number) {
        return duplicate(settings().withMaxConnections(number));
    }

    /**
     * How many connections each address has at a time; any number unless set. Of IPv6 the network counts (the first 64 bits), in
     * which one machine may have any address. A further one is refused, which the log says, and its client gets a
     * NetioConnectException. Over plain TCP sockets that have said nothing yet count, too. All clients behind a NAT or a proxy
     * have one address.
     *
     * @throws IllegalArgumentException if it is less than 1
     */
    public NetioServer maxConnectionsPerAddress(int number) {
        return duplicate(settings().withAccess(access -> access.withConnectionsOfAddress(number)));
    }

    /**
     * The networks that clients may connect from, such as {@code 10.1.0.0/16}, {@code 2001:db8::/32} or a single address; all
     * unless set. A connection from elsewhere is refused before anything is done for it, which the log says, at most 60 times a
     * minute.
     *
     * @throws IllegalArgumentException if one of them is no network
     */
    public NetioServer allow(String... networks) {
        AllowedNetworks allowed = AllowedNetworks.of(networks);
        return duplicate(settings().withAccess(access -> access.withNetworks(allowed)));
    }

    /**
     * Asks each client who it is, with STREAM framing, and refuses those of whom {@code authenticator} does not know it. Clients
     * have to have {@link NetioClient#credentials}. {@link NetioConnection#principal} tells who each is. Certificates of clients
     * need no authenticator: see {@link Tls#clientCertificate}.
     */
    public NetioServer authenticate(NetioAuthenticator authenticator) {
        Objects.requireNonNull(authenticator, "authenticator");
        return duplicate(settings().withAccess(access -> access.withAuthenticator(authenticator)));
    }

    /**
     * Has {@code authorizer} decide what each client may do with which tags, with STREAM framing. Unless set, everybody may do
     * everything.
     */
    public NetioServer authorize(NetioAuthorizer authorizer) {
        Objects.requireNonNull(authorizer, "authorizer");
        return duplicate(settings().withAccess(access -> access.withAuthorizer(authorizer)));
    }

    /**
     * Calls {@code consumer} on the loop with each new connection, before anything that its peer sends is delivered. It must not
     * block. What it throws is logged and closes the connection.
     */
    public NetioServer doOnConnection(Consumer<? super NetioConnection> consumer) {
        return new NetioServer(settings(), hooks.andOnConnection(consumer));
    }

    /**
     * Calls {@code consumer} each time this server is about to bind, on the thread that subscribes to {@link #bind}. What it
     * throws is what the subscriber gets.
     */
    public NetioServer doOnBind(Consumer<? super NetioServer> consumer) {
        return new NetioServer(settings(), hooks.andOnBind(consumer));
    }

    /**
     * Calls {@code consumer} when the server listens, on a worker thread, before the subscriber of {@link #bind} is told. What it
     * throws ends the listening and is what the subscriber gets.
     */
    public NetioServer doOnBound(Consumer<? super DisposableServer> consumer) {
        return new NetioServer(settings(), hooks.andOnBound(consumer));
    }

    /** Calls {@code consumer} when the server no longer listens: on the loop, unless that has ended. It must not block. */
    public NetioServer doOnUnbound(Consumer<? super DisposableServer> consumer) {
        return new NetioServer(settings(), hooks.andOnUnbound(consumer));
    }

    /**
     * Listens when subscribed to, anew for each subscriber. The class says how it fails. A cancel before it listens gives the
     * attempt up. A cancel at the very moment in which the server reaches the subscriber makes Reactor drop the server, which
     * then goes on listening. A program that cancels, and must not leave a server behind, disposes of those that
     * {@link reactor.core.publisher.Hooks#onNextDropped} is given.
     */
    public Mono<DisposableServer> bind() {
        return Mono.defer(() -> {
            ConnectionConfig config = settings().connectionConfig();
            hooks.onBind().accept(this);
            NetioLoops loops = settings().loopsOrShared();
            OpenConnections connections = new OpenConnections();
            return loops.next().listen(settings().address(), config, loops.all(),
                    accepted -> accept(accepted, connections, loops),
                    listening -> bound(new DefaultServer(listening, connections), loops, config));
        });
    }

    private DisposableServer bound(DefaultServer server, NetioLoops loops, ConnectionConfig config) {
        loops.opened(server);
        if (config.letsEverybodyIn() && server.address() instanceof InetSocketAddress inet
                && !inet.getAddress().isLoopbackAddress()) {
            LOG.warn("everybody who reaches {} can connect, and RAW and PAGE framing ask nobody who it is; set secure(…), or"
                    + " allow(…) with the networks that are meant", Addresses.format(server.address()));
        }
        server.onDispose().doFinally(signal -> UserCode.tell(hooks.onUnbound(), server, LOG,
                "doOnUnbound has thrown")).subscribe();
        hooks.onBound().accept(server);
        return server;
    }

    private void accept(Connection engine, OpenConnections connections, NetioLoops loops) {
        NetioConnection connection = new DefaultConnection(engine, settings().propagation());
        loops.opened(connection);
        if (connections.add(engine)) {
            hooks.onConnection().accept(connection);
        }
    }

    /**
     * Subscribes to {@link #bind} and waits for the server, at most 10 s.
     *
     * @throws NetioException if listening fails or takes longer
     * @throws IllegalArgumentException if settings contradict each other
     * @throws IllegalStateException on a loop's thread
     */
    public DisposableServer bindNow() {
        return bindNow(Duration.ofSeconds(10));
    }

    /**
     * Subscribes to {@link #bind} and waits for the server, at most {@code timeout}. Zero or less fails at once, 292 years or
     * more is for ever. A server that listens when this has given up, because the time is over or the thread was interrupted, is
     * disposed of.
     *
     * @throws NetioException if listening fails or takes longer
     * @throws IllegalArgumentException if settings contradict each other
     * @throws IllegalStateException on a loop's thread
     */
    public DisposableServer bindNow(Duration timeout) {
        return BlockingMono.await(bind(), timeout, "listening on " + settings().where(),
                DisposableServer::dispose);
    }
}
