// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.base;

import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.transport.SendCompletion;
import io.reactivenetio.transport.backend.Addresses;
import io.reactivenetio.transport.backend.BackendCallbacks;
import io.reactivenetio.transport.backend.BackendChooser;
import io.reactivenetio.transport.backend.BackendConfig;
import io.reactivenetio.transport.backend.ConnectionParameters;
import io.reactivenetio.transport.backend.Endpoint;
import io.reactivenetio.transport.backend.GatherList;
import io.reactivenetio.transport.backend.ListenEndpoint;
import io.reactivenetio.transport.backend.LogBudget;
import io.reactivenetio.transport.backend.NetworkBackend;
import io.reactivenetio.transport.backend.SendBuffer;
import io.reactivenetio.transport.backend.SendKey;
import io.reactivenetio.transport.backend.SendStatus;
import io.reactivenetio.transport.base.send.EndpointSends;
import io.reactivenetio.transport.base.send.GatherPool;
import io.reactivenetio.transport.base.send.SendPool;
import io.reactivenetio.transport.exceptions.InvalidEndpointAddressException;
import io.reactivenetio.transport.exceptions.NetioConnectException;
import io.reactivenetio.transport.exceptions.NetioException;
import io.reactivenetio.transport.exceptions.NoBuffersAllocatedException;
import io.reactivenetio.transport.exceptions.NotSupportedException;
import io.reactivenetio.transport.exceptions.UnknownActiveEndpointException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * The calls of a backend, and its life until it is closed. {@link LoopAccess} checks the threads. {@link Binder} and {@link
 * Connector} open endpoints; {@link ListenEndpoints} and {@link OpenEndpoints} keep those that are open.
 *
 * @param <R> what an address is resolved to, off the loop
 * @param <E> the backend's endpoints
 */
public abstract class BackendBase<R extends AutoCloseable, E extends EndpointBase> implements NetworkBackend {
    private static final LogBudget REFUSED = LogBudget.ofRefused();

    private final BackendContext context;
    private final EventLoop loop;
    private final LoopAccess access;
    private final ListenEndpoints listeners = new ListenEndpoints();
    private final OpenEndpoints endpoints;
    private final Binder<R> binder;
    private final Connector<R, E> connector = new Connector<>(this);
    private final Runnable closeHook = this::close;
    private volatile boolean closed;

    /**
     * {@code headroom}: bytes before each send buffer and header for the backend's use. {@code copies}: whether {@link
     * NetworkBackend#sendCopy} is there.
     */
    protected BackendBase(BackendConfig config, EventLoop loop, BackendCallbacks callbacks, int headroom, boolean copies) {
        this.context = new BackendContext(config, loop, callbacks, headroom, copies, this::closed);
        this.loop = loop;
        this.access = context.access();
        this.endpoints = new OpenEndpoints(config.exclusive());
        this.binder = new Binder<>(this, listeners);
    }

    /** Has the backend close with its loop at the latest; to be called when it is complete. */
    protected final void closeWithLoop() {
        try {
            loop.onClose(closeHook);
        } catch (IllegalStateException terminated) {
            closeSharedSends();
            throw terminated;
        }
    }

    // ---- what a backend does

    /** How to listen there; may block. Throws NetioBindException if that is not possible. */
    protected abstract R resolveLocal(SocketAddress address) throws UnknownHostException;

    /** How to connect there; may block. Throws NetioConnectException if that is not possible. */
    protected abstract R resolveRemote(SocketAddress address) throws UnknownHostException;

    /** Whether that does not block where no name has to be looked up. */
    protected boolean resolvesLiteralsAtOnce() {
        return false;
    }

    /** Listens, on the loop. Takes {@code where} over, even if it throws, NetioBindException for one. */
    protected abstract Listener listen(R where, SocketAddress address, ConnectionParameters parameters,
            @Nullable Object attachment, BackendChooser chooser);

    /** A new endpoint, opened from here without a parent, or accepted by one. */
    protected abstract E endpoint(SocketAddress remote, @Nullable ListenEndpoint parent, ConnectionParameters parameters);

    /** Begins to connect, on the loop. Takes {@code where} over, even if it throws, which refuses the connection. */
    protected abstract void connect(E endpoint, R where);

    /** When all endpoints are closed. */
    protected abstract void closeResources();

    // ---- for backends and endpoints

    /** What its endpoints and listeners hold of it. */
    public final BackendContext context() {
        return context;
    }

    public final BackendConfig config() {
        return context.config();
    }

    public final EventLoop loop() {
        return loop;
    }

    /** The endpoint of a connection that is being accepted; its handshake has as long as a connect has. On this loop. */
    public final E openAccepted(SocketAddress remote, ListenEndpoint listener, ConnectionParameters parameters) {
        checkOpen();
        if (listener.implementation() instanceof Listener other) {
            context.bufferPolicy().checkSameKinds(listener, other.context().config());
        }
        E endpoint = endpoint(remote, listener, parameters);
        endpoints.add(endpoint);
        connector.limitTime(endpoint);
        return endpoint;
    }

    @Override
    public final CompletableFuture<List<InetSocketAddress>> addressesOf(InetSocketAddress address) {
        return Resolver.addressesOf(address);
    }

    private void closed(Endpoint endpoint, boolean established, List<SendKey> cancelled, @Nullable NetioException cause) {
        endpoints.remove(endpoint);
        try {
            if (established) {
                endpoint.callbacks().onConnectionClosed(endpoint, cancelled, cause);
            } else if (endpoint.listenEndpoint() == null) {
                NetioException reason = cause != null ? cause : new NetioConnectException("connecting to "
                        + Addresses.format(endpoint.remoteAddress()) + ": closed before it was established", null);
                endpoint.callbacks().onConnectionRefused(endpoint, reason);
            } else if (cause != null) {
                REFUSED.warn("{}", cause.getMessage());
            }
        } catch (Throwable t) {
            loop.report(t);
        }
    }

    // ---- listening

    @Override
    public final ListenEndpoint openListenEndpoint(SocketAddress address, ConnectionParameters parameters,
            @Nullable Object attachment, BackendChooser chooser) {
        Objects.requireNonNull(chooser, "chooser");
        context.bufferPolicy().check(parameters, true);
        return binder.bind(address, parameters, attachment, chooser);
    }

    @Override
    public final void closeListenEndpoint(ListenEndpoint endpoint) {
        close(endpoint, true);
    }

    @Override
    public final void stopListening(ListenEndpoint endpoint) {
        close(endpoint, false);
    }

    private void close(ListenEndpoint endpoint, boolean withConnections) {
        Listener listener = ListenEndpoints.of(endpoint, context);
        access.run(() -> listeners.close(listener, withConnections));
    }

    /** Closes what {@code listener} has spawned on this loop. Any thread. */
    public final void closeSpawned(ListenEndpoint listener) {
        if (!loop.inEventLoop()) {
            try {
                loop.execute(() -> closeSpawned(listener));
            } catch (RejectedExecutionException terminating) {
                return; // everything is closed there
            }
            return;
        }
        endpoints.closeSpawned(listener);
    }

    // ---- connecting

    @Override
    public final Endpoint openActiveEndpoint(SocketAddress address, ConnectionParameters parameters) {
        access.check();
        checkOpen();
        context.bufferPolicy().check(parameters, false);
        if (address instanceof InetSocketAddress inet && inet.getPort() == 0) {
            throw new InvalidEndpointAddressException("no port to connect to in " + Addresses.format(address));
        }
        endpoints.reserve(address);
        E endpoint;
        try {
            endpoint = endpoint(address, null, parameters);
        } catch (RuntimeException e) {
            endpoints.free(address);
            throw e;
        }
        if (!access.run(() -> begin(endpoint, address))) {
            endpoint.abandon();
            endpoints.free(address);
            throw new IllegalStateException("the event loop has terminated");
        }
        return endpoint.handle();
    }

    private void begin(E endpoint, SocketAddress address) {
        endpoints.add(endpoint);
        if (closed) {
            endpoint.close(null);
        } else {
            connector.begin(endpoint, address);
        }
    }

    /** Gives back what an address was resolved to and is not needed. */
    final void discard(R where) {
        try {
            where.close();
        } catch (Exception e) {
            context.report(e);
        }
    }

    // ---- sending

    @Override
    public final @Nullable SendBuffer getBuffer(Endpoint endpoint) {
        access.check();
        EndpointSends sends = of(endpoint).outgoing();
        if (sends.buffers() == 0) {
            throw new NoBuffersAllocatedException(endpoint + " was opened without send buffers");
        }
        return sends.lend();
    }

    @Override
    public final SendStatus sendBuffer(Endpoint endpoint, SendBuffer buffer, SendCompletion level) {
        access.check();
        return of(endpoint).outgoing().send(buffer, level);
    }

    @Override
    public final SendStatus sendZeroCopy(Endpoint endpoint, GatherList message, long key, SendCompletion level) {
        access.check();
        EndpointSends sends = of(endpoint).outgoing();
        GatherPool gathers = sends.gathers();
        if (gathers == null) {
            throw new NotSupportedException(endpoint + " was opened without a region for zero-copy sends");
        }
        return sends.send(gathers, message, key, level);
    }

    @Override
    public final SendStatus sendCopy(Endpoint endpoint, ByteBuffer data) {
        access.check();
        EndpointSends sends = of(endpoint).outgoing();
        if (!context.supportsCopies()) {
            throw new NotSupportedException("libfabric has no immediate send; fill a buffer of getBuffer");
        }
        if (sends.buffers() == 0) {
            throw new NotSupportedException(endpoint + " was opened without send buffers, which immediate sends need");
        }
        if (data.remaining() > sends.pool().slab().slotSize()) {
            throw new IllegalArgumentException("a message of " + data.remaining() + " bytes; send buffers have "
                    + sends.pool().slab().slotSize());
        }
        return sends.sendCopy(data);
    }

    @Override
    public final int freeSendBuffers(Endpoint endpoint) {
        access.check();
        return of(endpoint).outgoing().free();
    }

    @Override
    public final int creditsPosted(Endpoint endpoint) {
        access.check();
        EndpointBase of = of(endpoint);
        return of.isClosed() || !of.isReceiving() ? 0 : of.creditsPosted();
    }

    @Override
    public final int arrivedInPart(Endpoint endpoint) {
        access.check();
        EndpointBase of = of(endpoint);
        return of.isClosed() ? 0 : of.arrivedInPart();
    }

    private EndpointBase of(Endpoint endpoint) {
        if (endpoint.implementation() instanceof EndpointBase base && base.isOf(context)) {
            return base;
        }
        throw new UnknownActiveEndpointException(endpoint + " is not of this backend");
    }

    // ---- closing

    @Override
    public final void closeActiveEndpoint(Endpoint endpoint) {
        EndpointBase base = of(endpoint);
        access.run(() -> base.close(null));
    }

    @Override
    public final void close() {
        access.run(this::closeHere);
    }

    private void closeHere() {
        if (closed) {
            return;
        }
        closed = true;
        loop.removeOnClose(closeHook);
        listeners.closeAll(loop::report);
        endpoints.closeAll();
        loop.atEndOfTurn(this::closeAfterEndpoints);
    }

    private void closeAfterEndpoints() {
        closeResources();
        closeSharedSends();
    }

    private void closeSharedSends() {
        SendPool shared = context.sharedSends();
        if (shared != null) {
            shared.close();
        }
    }

    /** Fails if the backend is closed. Any thread. */
    final void checkOpen() {
        if (closed) {
            throw new IllegalStateException("the backend is closed");
        }
    }
}
