// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.libfabric;

import io.reactivenetio.ffm.fabric.Fi;
import io.reactivenetio.ffm.fabric.FiInfo;
import io.reactivenetio.ffm.fabric.FiPassiveEndpoint;
import io.reactivenetio.transport.backend.BackendChooser;
import io.reactivenetio.transport.backend.ConnectionParameters;
import io.reactivenetio.transport.backend.ListenEndpoint;
import io.reactivenetio.transport.base.ListenerBase;
import io.reactivenetio.transport.exceptions.NetioException;
import java.net.InetSocketAddress;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A listen endpoint. It accepts each connection request, with buffers of its own for each connection. Confined to its loop.
 *
 * <p>It has an event queue of its own, which is closed right after it and not read in between. A handshake that is half done when
 * a tcp listener closes keeps a pointer to the listener in the queue's own wait set. A read would follow that pointer.
 */
final class PassiveEndpoint extends ListenerBase<LibfabricBackend> implements ConnectionEvents.Owner {
    private final ConnectionEvents events;
    private final FabricResources resources;
    private final FiPassiveEndpoint endpoint;
    private final ListenEndpoint handle;
    /** Requests that another loop is taking over, which refer to this endpoint, and one more while it is open. */
    private final AtomicInteger users = new AtomicInteger(1);

    /** {@code info} is the caller's: the providers copy it. */
    PassiveEndpoint(LibfabricBackend backend, FabricResources resources, FiInfo info, ConnectionParameters parameters,
            @Nullable Object attachment, BackendChooser chooser) {
        super(backend, LibfabricBackend.class, parameters, chooser);
        this.resources = resources;
        this.endpoint = resources.fabric().openPassiveEndpoint(info);
        this.events = openEvents();
        SharedFabrics.retain(backend.config().provider(), resources.name());
        @Nullable InetSocketAddress bound;
        try {
            endpoint.bind(events.queue());
            endpoint.listen();
            bound = endpoint.name();
            if (bound != null && !ProviderTraits.of(backend.config().provider()).verbs()) {
                ListeningSocket.limitReads(bound);
            }
        } catch (RuntimeException e) {
            events.stop();
            free();
            throw e;
        }
        this.handle = new ListenEndpoint(bound != null ? bound : new InetSocketAddress(0), this, attachment);
        events.add(endpoint.address(), this);
        events.start();
    }

    /** It may have a socket by now, that is bound. */
    private ConnectionEvents openEvents() {
        try {
            return new ConnectionEvents(context().loop(), resources.fabric());
        } catch (RuntimeException e) {
            endpoint.close();
            throw e;
        }
    }

    @Override
    public ListenEndpoint handle() {
        return handle;
    }

    /** The name of its fabric, which a connection request need not have. */
    String fabricName() {
        return resources.name();
    }

    /** The chooser is the user's code, and may close this listener. */
    @Override
    public void onRequest(FiInfo request) {
        users.incrementAndGet();
        try {
            decide(request);
        } finally {
            leave();
        }
    }

    private void decide(FiInfo request) {
        long peer = request.handle();
        InetSocketAddress said = request.destAddress();
        InetSocketAddress remote = said != null ? said : new InetSocketAddress(0);
        if (!admits(remote) || !hasRoomFor(remote, () -> 0)) {
            request.close();
            endpoint.reject(peer);
            return;
        }
        int limit = context().config().maxConnections();
        if (accepted(remote) > limit) {
            released(remote);
            request.close();
            endpoint.reject(peer);
            context().report(new NetioException(handle + ": " + limit + " connections are open, rejecting another;"
                    + " maxConnections sets how many there may be"));
            return;
        }
        LibfabricBackend choice = chosen(remote);
        if (choice == null || isClosed()) {
            released(remote);
            request.close();
            endpoint.reject(peer);
        } else if (choice.loop().inEventLoop()) {
            if (!choice.accept(request, this, parameters())) {
                endpoint.reject(peer);
            }
        } else {
            giveTo(choice, request, remote, peer);
        }
    }

    private @Nullable LibfabricBackend chosen(InetSocketAddress remote) {
        try {
            String provider = context().config().provider();
            LibfabricBackend choice = choose(remote);
            if (choice != null && choice.config().provider().equals(provider)) {
                return choice;
            }
            context().report(new IllegalStateException(handle + ": the chooser gave no libfabric backend of provider "
                    + provider));
        } catch (Throwable t) { // somebody waits for an answer, whatever it is
            context().report(t);
        }
        return null;
    }

    /** The request refers to this endpoint, which so has to stay until it is taken over. */
    private void giveTo(LibfabricBackend choice, FiInfo request, InetSocketAddress remote, long peer) {
        users.incrementAndGet();
        try {
            giveTo(choice, () -> {
                boolean accepted = choice.accept(request, this, parameters());
                try {
                    context().loop().execute(() -> arrived(accepted, peer));
                } catch (RejectedExecutionException terminated) {
                    arrived(accepted, peer); // nobody else is left to do it
                }
            });
        } catch (RejectedExecutionException terminated) {
            released(remote);
            request.close();
            arrived(false, peer);
        }
    }

    private void arrived(boolean accepted, long peer) {
        try {
            if (!accepted) {
                endpoint.reject(peer);
            }
        } finally {
            leave();
        }
    }

    @Override
    public void onConnected(byte[] data) {
        // belongs to the accepted endpoint
    }

    @Override
    public void onShutdown() {
        // belongs to the accepted endpoint
    }

    /**
     * A device that is removed keeps its listen endpoints, which will never hear of anybody again, and the kernel waits until
     * each is closed before the device is gone.
     */
    @Override
    public void onFailure(int code, String text) {
        if (code == Fi.FI_ENODEV) {
            context().report(new NetioException(handle + ": its RDMA device was removed, it listens no more"));
            backend().stopListening(handle);
        } else {
            context().report(new IllegalStateException(handle + ": " + text));
        }
    }

    @Override
    public void onQueueFailed(int code) {
        backend().stopListening(handle);
    }

    @Override
    protected void stop() {
        events.stop();
        leave();
    }

    /** Frees it with its last user; where this loop has ended meanwhile, on the loop that took the last request over. */
    private void leave() {
        if (users.decrementAndGet() == 0) {
            free();
        }
    }

    private void free() {
        endpoint.close();
        events.close();
        SharedFabrics.release(context().config().provider(), resources.name());
    }
}
