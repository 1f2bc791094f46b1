// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.base;

import io.reactivenetio.loop.DelayedTask;
import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.transport.Addresses;
import io.reactivenetio.transport.BackendCallbacks;
import io.reactivenetio.transport.BackendConfig;
import io.reactivenetio.transport.CompletionLevel;
import io.reactivenetio.transport.ConnectionParameters;
import io.reactivenetio.transport.Endpoint;
import io.reactivenetio.transport.ListenEndpoint;
import io.reactivenetio.transport.NetioBindException;
import io.reactivenetio.transport.NetioConnectException;
import io.reactivenetio.transport.NetioException;
import io.reactivenetio.transport.NetworkBackend;
import io.reactivenetio.transport.SendBuffer;
import io.reactivenetio.transport.SendStatus;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens, finds and closes the endpoints of a backend, and sees to it that everything happens on the loop.
 *
 * @param <R> what an address is resolved to, off the loop
 * @param <E> the backend's endpoints
 */
public abstract class BackendBase<R extends AutoCloseable, E extends EndpointBase> implements NetworkBackend {
    private static final Logger LOG = LoggerFactory.getLogger(BackendBase.class);

    /** An open listen endpoint. */
    public interface Listener {
        ListenEndpoint handle();

        /** Idempotent. */
        void close();
    }

    private final BackendConfig config;
    private final EventLoop loop;
    private final BackendCallbacks callbacks;
    private final Set<Listener> listening = new LinkedHashSet<>();
    private final Set<EndpointBase> connections = new LinkedHashSet<>();
    private final Runnable closeHook = this::close;
    private boolean closed;

    protected BackendBase(BackendConfig config, EventLoop loop, BackendCallbacks callbacks) {
        this.config = config;
        this.loop = loop;
        this.callbacks = callbacks;
    }

    /** To be called when the backend is complete: it closes with its loop at the latest. */
    protected final void closeWithLoop() {
        loop.onClose(closeHook);
    }

    // ---- what a backend does

    /** How to listen there; may block. Throws NetioBindException if that is not possible. */
    protected abstract R resolveLocal(InetSocketAddress address) throws UnknownHostException;

    /** How to connect there; may block. Throws NetioConnectException if that is not possible. */
    protected abstract R resolveRemote(InetSocketAddress address) throws UnknownHostException;

    /** Listens, on the loop. Takes {@code where} over, even if it throws, NetioBindException for one. */
    protected abstract Listener listen(R where, InetSocketAddress address, ConnectionParameters parameters,
            @Nullable Object attachment);

    /** A new endpoint, opened from here without a parent, or accepted by one. */
    protected abstract E endpoint(InetSocketAddress remote, @Nullable ListenEndpoint parent, ConnectionParameters parameters);

    /** Begins to connect, on the loop. Takes {@code where} over, even if it throws, which refuses the connection. */
    protected abstract void connect(E endpoint, R where);

    /** When all endpoints are closed. */
    protected abstract void closeRest();

    // ---- for backends and endpoints

    public final BackendConfig config() {
        return config;
    }

    public final EventLoop loop() {
        return loop;
    }

    final BackendCallbacks callbacks() {
        return callbacks;
    }

    /** Warns of what is nobody's fault in particular and ends nothing. */
    public final void report(Throwable problem) {
        LOG.warn("{}", problem.getMessage(), problem);
    }

    /** Runs a task after a pause, unless the loop terminates before: then everything is closed anyway, and this is null. */
    public final @Nullable DelayedTask after(long pause, TimeUnit unit, Runnable task) {
        try {
            return loop.schedule(task, pause, unit);
        } catch (RejectedExecutionException terminating) {
            return null;
        }
    }

    /** The endpoint of a connection that is being accepted. */
    public final E accepting(InetSocketAddress remote, ListenEndpoint listener, ConnectionParameters parameters) {
        E endpoint = endpoint(remote, listener, parameters);
        connections.add(endpoint);
        return endpoint;
    }

    void closed(EndpointBase endpoint, boolean established, List<Integer> cancelled, @Nullable NetioException cause) {
        connections.remove(endpoint);
        try {
            if (established) {
                callbacks.onConnectionClosed(endpoint.handle(), cancelled, cause);
            } else if (endpoint.handle().listenEndpoint() == null) {
                NetioException reason = cause != null ? cause : new NetioConnectException("connecting to "
                        + Addresses.format(endpoint.handle().remoteAddress()) + ": closed before it was established", null);
                callbacks.onConnectionRefused(endpoint.handle(), reason);
            }
        } catch (Throwable t) {
            loop.report(t);
        }
    }

    // ---- listening

    @Override
    public final ListenEndpoint openListenEndpoint(InetSocketAddress address, ConnectionParameters parameters,
            @Nullable Object attachment) {
        R where;
        try {
            where = resolveLocal(address);
        } catch (UnknownHostException e) {
            throw new NetioBindException("cannot resolve host '" + address.getHostString() + "'", e);
        }
        try {
            if (loop.inEventLoop()) {
                return listenHere(where, address, parameters, attachment);
            }
            CompletableFuture<ListenEndpoint> result = new CompletableFuture<>();
            loop.execute(() -> {
                try {
                    result.complete(listenHere(where, address, parameters, attachment));
                } catch (RuntimeException | Error e) {
                    result.completeExceptionally(e); // whatever it is, somebody waits for it
                }
            });
            return result.join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : e;
        } catch (RejectedExecutionException e) {
            discard(where);
            throw new NetioBindException("the event loop has terminated", e);
        }
    }

    private ListenEndpoint listenHere(R where, InetSocketAddress address, ConnectionParameters parameters,
            @Nullable Object attachment) {
        if (closed) {
            discard(where);
            checkOpen();
        }
        Listener listener = listen(where, address, parameters, attachment);
        listening.add(listener);
        return listener.handle();
    }

    // ---- connecting

    @Override
    public final Endpoint openActiveEndpoint(InetSocketAddress address, ConnectionParameters parameters) {
        checkLoop();
        checkOpen();
        E endpoint = endpoint(address, null, parameters);
        connections.add(endpoint);
        Resolver.execute(() -> resolve(endpoint, address));
        endpoint.deadline(after(config.connectTimeout().toNanos(), TimeUnit.NANOSECONDS, () -> timeOut(endpoint)));
        return endpoint.handle();
    }

    private void resolve(E endpoint, InetSocketAddress address) {
        Runnable next;
        @Nullable R found = null;
        try {
            R where = resolveRemote(address);
            found = where;
            next = () -> connectHere(endpoint, address, where);
        } catch (UnknownHostException e) {
            next = () -> endpoint.close(new NetioConnectException("cannot resolve host '" + address.getHostString() + "'", e));
        } catch (RuntimeException e) {
            next = () -> endpoint.close(refusal(address, e));
        }
        try {
            loop.execute(next);
        } catch (RejectedExecutionException e) {
            if (found != null) {
                discard(found);
            }
        }
    }

    private void connectHere(E endpoint, InetSocketAddress address, R where) {
        if (endpoint.isClosed()) {
            discard(where);
            return;
        }
        try {
            connect(endpoint, where);
        } catch (RuntimeException e) {
            endpoint.close(refusal(address, e));
        }
    }

    private static NetioException refusal(InetSocketAddress address, RuntimeException e) {
        return e instanceof NetioConnectException refused ? refused : new NetioConnectException("cannot connect to "
                + Addresses.format(address) + ": " + e.getMessage(), e);
    }

    private void timeOut(E endpoint) {
        if (endpoint.isOpening()) {
            endpoint.close(new NetioConnectException("connecting to " + Addresses.format(endpoint.handle().remoteAddress())
                    + " took longer than " + config.connectTimeout().toMillis() + " ms", null));
        }
    }

    private void discard(R where) {
        try {
            where.close();
        } catch (Exception e) {
            report(e);
        }
    }

    // ---- sending

    @Override
    public final @Nullable SendBuffer getBuffer(Endpoint endpoint) {
        checkLoop();
        return of(endpoint).getBuffer();
    }

    @Override
    public final SendStatus sendBuffer(Endpoint endpoint, SendBuffer buffer, CompletionLevel level) {
        checkLoop();
        return buffer instanceof SendSlot slot ? of(endpoint).send(slot, level) : SendStatus.FAILED;
    }

    @Override
    public final int freeSendBuffers(Endpoint endpoint) {
        checkLoop();
        return of(endpoint).freeSendBuffers();
    }

    @Override
    public final int creditsPosted(Endpoint endpoint) {
        checkLoop();
        EndpointBase of = of(endpoint);
        return of.isClosed() ? 0 : of.creditsPosted();
    }

    private static EndpointBase of(Endpoint endpoint) {
        return (EndpointBase) endpoint.implementation();
    }

    // ---- closing

    @Override
    public final void closeActiveEndpoint(Endpoint endpoint) {
        checkLoop();
        of(endpoint).close(null);
    }

    @Override
    public final void closeListenEndpoint(ListenEndpoint endpoint) {
        checkLoop();
        Listener listener = (Listener) endpoint.implementation();
        listening.remove(listener);
        listener.close();
    }

    @Override
    public final void close() {
        checkLoop();
        if (closed) {
            return;
        }
        closed = true;
        loop.removeOnClose(closeHook);
        for (Listener listener : listening) {
            try {
                listener.close();
            } catch (RuntimeException e) {
                loop.report(e); // whatever is left of it: the others have to be closed too
            }
        }
        listening.clear();
        for (EndpointBase endpoint : new ArrayList<>(connections)) {
            endpoint.closeNow();
        }
        loop.atEndOfTurn(this::closeRest); // after the endpoints' own ends
    }

    private void checkLoop() {
        if (!loop.inEventLoop()) {
            throw new IllegalStateException("called on thread " + Thread.currentThread().getName() + ", not on the event loop");
        }
    }

    private void checkOpen() {
        if (closed) {
            throw new IllegalStateException("the backend is closed");
        }
    }
}
