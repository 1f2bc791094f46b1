// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.libfabric;

import io.reactivenetio.ffm.FiInfo;
import io.reactivenetio.ffm.FiPassiveEndpoint;
import io.reactivenetio.transport.BackendChooser;
import io.reactivenetio.transport.ConnectionParameters;
import io.reactivenetio.transport.ListenEndpoint;
import io.reactivenetio.transport.base.BackendBase;
import java.net.InetSocketAddress;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A listen endpoint: accepts whatever asks, with buffers of its own for each. Confined to its loop.
 *
 * <p>It has an event queue of its own, which is closed right after it and not read in between: a handshake that is half done when
 * a tcp listener closes keeps a pointer to the listener in the queue's own wait set, and reading would follow it. It also keeps
 * the info it was made from: the sockets provider (seen with 1.17) goes on using the caller's.
 */
final class PassiveEndpoint implements ConnectionEvents.Owner, BackendBase.Listener {
    private final LibfabricBackend backend;
    private final ConnectionEvents events;
    private final FabricResources resources;
    private final FiInfo info;
    private final FiPassiveEndpoint endpoint;
    private final ConnectionParameters parameters;
    private final BackendChooser chooser;
    private final ListenEndpoint handle;
    /** Accepted and not over; those that were given to other loops end there. */
    private final AtomicInteger connections = new AtomicInteger();
    private final Set<LibfabricBackend> chosen = new HashSet<>();
    /** Requests that another loop is taking over: they refer to this endpoint. */
    private int inTransit;
    private boolean closed;
    private boolean freed;

    /** Takes {@code info} over, unless it throws before it has an endpoint. */
    PassiveEndpoint(LibfabricBackend backend, FabricResources resources, FiInfo info, ConnectionParameters parameters,
            @Nullable Object attachment, BackendChooser chooser) {
        this.backend = backend;
        this.resources = resources;
        this.info = info;
        this.parameters = parameters;
        this.chooser = chooser;
        this.endpoint = resources.fabric().openPassiveEndpoint(info);
        this.events = new ConnectionEvents(backend.loop(), resources.fabric());
        @Nullable InetSocketAddress bound;
        try {
            endpoint.bind(events.queue());
            InetSocketAddress source = info.srcAddress();
            if (backend.traits().bindsWithName() && source != null) {
                endpoint.name(source);
            }
            endpoint.listen();
            bound = endpoint.name();
        } catch (RuntimeException e) {
            free();
            throw e;
        }
        this.handle = new ListenEndpoint(bound != null ? bound : new InetSocketAddress(0), this, attachment);
        events.add(endpoint.address(), this);
        events.start();
    }

    @Override
    public ListenEndpoint handle() {
        return handle;
    }

    @Override
    public BackendBase<?, ?> backend() {
        return backend;
    }

    /** The name of its fabric, which a connection request need not have. */
    String fabricName() {
        return resources.name();
    }

    /** One of the accepted connections is over. Any loop. */
    void released() {
        connections.decrementAndGet();
    }

    @Override
    public void onRequest(FiInfo request) {
        long peer = request.handle();
        int limit = backend.config().maxConnections();
        if (connections.get() >= limit) {
            request.close();
            endpoint.reject(peer);
            backend.report(new IllegalStateException(handle + ": " + limit + " connections are open, rejecting another"));
            return;
        }
        LibfabricBackend choice = choose(request);
        if (choice == null) {
            request.close();
            endpoint.reject(peer);
        } else if (choice.loop().inEventLoop()) {
            if (!accept(choice, request)) {
                endpoint.reject(peer);
            }
        } else {
            giveTo(choice, request, peer);
        }
    }

    /** On the loop of {@code choice}. */
    private boolean accept(LibfabricBackend choice, FiInfo request) {
        connections.incrementAndGet();
        return choice.accept(request, this, parameters);
    }

    private @Nullable LibfabricBackend choose(FiInfo request) {
        InetSocketAddress remote = request.destAddress();
        try {
            if (chooser.choose(remote != null ? remote : new InetSocketAddress(0)) instanceof LibfabricBackend choice
                    && choice.config().provider().equals(backend.config().provider())) {
                return choice;
            }
            backend.report(new IllegalStateException(handle + ": the chooser gave no libfabric backend of provider "
                    + backend.config().provider()));
        } catch (RuntimeException e) {
            backend.report(e);
        }
        return null;
    }

    /** The request refers to this endpoint, which so has to stay until it is taken over. */
    private void giveTo(LibfabricBackend choice, FiInfo request, long peer) {
        inTransit++;
        chosen.add(choice);
        try {
            choice.loop().execute(() -> {
                boolean accepted = accept(choice, request);
                backend.loop().execute(() -> arrived(accepted, peer));
            });
        } catch (RejectedExecutionException terminated) {
            request.close();
            arrived(false, peer);
        }
    }

    private void arrived(boolean accepted, long peer) {
        inTransit--;
        if (!accepted) {
            endpoint.reject(peer);
        }
        freeIfClosed();
    }

    @Override
    public void onConnected() {
        // belongs to the accepted endpoint
    }

    @Override
    public void onShutdown() {
        // belongs to the accepted endpoint
    }

    @Override
    public void onFailure(int code, String text) {
        backend.report(new IllegalStateException(handle + ": " + text));
    }

    @Override
    public void onBroken(int code) {
        backend.stopListening(handle);
    }

    @Override
    public void close(boolean withConnections) {
        if (!closed) {
            closed = true;
            events.stop();
            freeIfClosed();
        }
        if (withConnections) {
            backend.closeSpawned(handle);
            chosen.forEach(other -> other.closeSpawned(handle));
        }
    }

    private void freeIfClosed() {
        if (closed && inTransit == 0 && !freed) {
            freed = true;
            free();
        }
    }

    private void free() {
        events.stop();
        endpoint.close();
        events.close();
        info.close();
    }
}
