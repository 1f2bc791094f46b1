// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import io.reactivenetio.api.ConnectionState;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.api.NetioCredentials;
import io.reactivenetio.api.SharedConnection;
import io.reactivenetio.connection.Connection;
import io.reactivenetio.connection.ConnectionConfig;
import io.reactivenetio.diagnostics.UserCode;
import io.reactivenetio.lifecycle.BlockingMono;
import io.reactivenetio.lifecycle.ClientHooks;
import io.reactivenetio.lifecycle.ConnectionStates;
import io.reactivenetio.lifecycle.DefaultConnection;
import io.reactivenetio.lifecycle.DefaultSharedConnection;
import io.reactivenetio.transport.backend.Durations;
import io.reactivenetio.transport.exceptions.BackendUnavailableException;
import io.reactivenetio.transport.exceptions.NetioAuthenticationException;
import io.reactivenetio.transport.exceptions.NetioConnectException;
import io.reactivenetio.transport.exceptions.NetioException;
import io.reactivenetio.transport.exceptions.NetioProtocolException;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Opens connections. A client is immutable: each setting returns a changed copy. {@link NetioTransport} has the settings that a
 * server has, too, and {@link Framing} says how messages lie in the buffers. All methods may be called on any thread, except
 * {@code connectNow}.
 *
 * <p>{@link #connect} fails with {@link NetioConnectException} if nobody listens, the host is unknown
 * or the time-out is over, with {@link NetioProtocolException} if the peer is configured otherwise or
 * is another program, with {@link BackendUnavailableException} if the backend is LIBFABRIC and there is none, or no such
 * provider, and with {@link IllegalArgumentException} if settings contradict each other, such as STREAM framing and shared
 * buffers.
 */
public final class NetioClient extends NetioTransport<NetioClient> {
    private final ClientHooks<NetioClient> hooks;
    private final ConnectionStates states = new ConnectionStates();

    private NetioClient(Settings settings, ClientHooks<NetioClient> hooks) {
        super(settings);
        this.hooks = hooks;
    }

    /**
     * A client of 127.0.0.1, over the fastest network that both ends have, with STREAM framing and 32 buffers of 60 KiB in each
     * direction, on the shared loop. It needs a port.
     */
    public static NetioClient create() {
        return new NetioClient(Settings.defaults(), ClientHooks.none());
    }

    @Override
    NetioClient duplicate(Settings changed) {
        return new NetioClient(changed, hooks);
    }

    @Override
    NetioClient withOnConnection(Consumer<? super NetioConnection> consumer) {
        return doOnConnected(consumer);
    }

    /**
     * The peer's address, instead of {@link #host} and {@link #port}, of which the last that is set counts. The supplier is asked
     * at each attempt to connect, on the thread that subscribes, so a client that reconnects may be led elsewhere. It must not
     * block. What it throws is what the subscriber of {@link #connect} gets. It must not return null. An unresolved address is
     * looked up, as {@link #host} says; of one that is resolved only that address is tried. A {@link
     * java.net.UnixDomainSocketAddress} is that of a server of this machine, over plain TCP or AUTO.
     */
    public NetioClient remoteAddress(Supplier<? extends SocketAddress> address) {
        return duplicate(settings().withAddress(address));
    }

    /**
     * Shows the server who this client is, with STREAM framing. The server has to have {@link NetioServer#authenticate}. {@link
     * #connect} fails with {@link NetioAuthenticationException} if the server refuses, or does not know the same secret.
     */
    public NetioClient credentials(NetioCredentials credentials) {
        Objects.requireNonNull(credentials, "credentials");
        return duplicate(settings().withAccess(access -> access.withCredentials(credentials)));
    }

    /**
     * Calls {@code consumer} each time this client is about to connect, on the thread that subscribes to {@link #connect}. What
     * it throws is what the subscriber gets.
     */
    public NetioClient doOnConnect(Consumer<? super NetioClient> consumer) {
        return new NetioClient(settings(), hooks.andOnConnect(consumer));
    }

    /**
     * Calls {@code consumer} on the loop with each connection that is established, before the subscriber of {@link #connect} is
     * told. It must not block. What it throws closes the connection and is what that subscriber gets.
     */
    public NetioClient doOnConnected(Consumer<? super NetioConnection> consumer) {
        return new NetioClient(settings(), hooks.andOnConnected(consumer));
    }

    /** Calls {@code consumer} on the loop when a connection is over, whichever side ended it. It must not block. */
    public NetioClient doOnDisconnected(Consumer<? super NetioConnection> consumer) {
        return new NetioClient(settings(), hooks.andOnDisconnected(consumer));
    }

    /**
     * Connects when subscribed to, anew for each subscriber; so {@code retryWhen} just works. The class says how it fails. A
     * cancel before it is connected gives the attempt up. A cancel at the very moment in which the connection reaches the
     * subscriber makes Reactor drop the connection, which then stays open. A program that cancels, and must not leave a
     * connection behind, disposes of those that {@link reactor.core.publisher.Hooks#onNextDropped} is given.
     */
    public Mono<NetioConnection> connect() {
        return Mono.defer(() -> {
            SocketAddress to = settings().address();
            return settings().propagation().connect(to, connect(to));
        });
    }

    private Mono<NetioConnection> connect(SocketAddress to) {
        return Mono.defer(() -> {
            hooks.onConnect().accept(this);
            NetioLoops loops = settings().loopsOrShared();
            ConnectionConfig config = settings().connectionConfig();
            states.connecting();
            return loops.next().connect(to, config).map(engine -> connected(engine, loops))
                    .doOnError(states::failed)
                    .doOnCancel(() -> states.failed(new CancellationException("the attempt to connect was cancelled")));
        });
    }

    /**
     * Returns one connection for all who ask. It is made with the settings of this client when somebody needs it, and made anew
     * when it was lost. Each call returns another.
     */
    public SharedConnection shared() {
        return new DefaultSharedConnection(Mono.defer(this::connect));
    }

    private NetioConnection connected(Connection engine, NetioLoops loops) {
        NetioConnection connection = new DefaultConnection(engine, settings().propagation());
        loops.opened(connection);
        states.connected(engine.remoteAddress(), engine.network());
        connection.onDispose().doFinally(signal -> {
            states.disconnected(engine.end());
            UserCode.tell(hooks.onDisconnected(), connection, LOG, "doOnDisconnected has thrown");
        }).subscribe();
        try {
            hooks.onConnected().accept(connection);
        } catch (Throwable t) { // a hook of the user's: nobody will get the connection
            connection.dispose();
            throw UserCode.rethrown(t);
        }
        return connection;
    }

    /** Whether a connection of this client is open. Clients made of this one by further settings have states of their own. */
    public ConnectionState state() {
        return states.current();
    }

    /**
     * The present {@link #state} and those that follow, on the threads that change it. The Flux does not end. A subscriber that
     * is slow misses states, but not the last.
     */
    public Flux<ConnectionState> states() {
        return states.all();
    }

    /**
     * Subscribes to {@link #connect} and waits for the connection, at most 5 s longer than {@link #connectTimeout}.
     *
     * @throws NetioException if connecting fails or takes longer
     * @throws IllegalArgumentException if settings contradict each other
     * @throws IllegalStateException on a loop's thread
     */
    public NetioConnection connectNow() {
        return connectNow(Durations.plus(settings().backend().connectTimeout(), Duration.ofSeconds(5)));
    }

    /**
     * Subscribes to {@link #connect} and waits for the connection, at most {@code timeout}. Zero or less fails at once, 292 years
     * or more is for ever. A connection that is made when this has given up, because the time is over or the thread was
     * interrupted, is closed.
     *
     * @throws NetioException if connecting fails or takes longer
     * @throws IllegalArgumentException if settings contradict each other
     * @throws IllegalStateException on a loop's thread
     */
    public NetioConnection connectNow(Duration timeout) {
        return BlockingMono.await(connect(), timeout, "connecting to " + settings().where(),
                NetioConnection::dispose);
    }
}
