// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.libfabric;

import io.reactivenetio.ffm.FiInfo;
import io.reactivenetio.ffm.FiPassiveEndpoint;
import io.reactivenetio.transport.ConnectionParameters;
import io.reactivenetio.transport.ListenEndpoint;
import io.reactivenetio.transport.base.BackendBase;
import java.net.InetSocketAddress;
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
    private final ListenEndpoint handle;
    private boolean closed;

    /** Takes {@code info} over, unless it throws before it has an endpoint. */
    PassiveEndpoint(LibfabricBackend backend, FabricResources resources, FiInfo info, ConnectionParameters parameters,
            @Nullable Object attachment) {
        this.backend = backend;
        this.resources = resources;
        this.info = info;
        this.parameters = parameters;
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
    public void onRequest(FiInfo request) {
        long peer = request.handle();
        if (!backend.accept(request, resources, handle, parameters)) {
            endpoint.reject(peer);
        }
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
        backend.closeListenEndpoint(handle);
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
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
