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
 * a tcp listener closes keeps a pointer to the listener in the queue's own wait set, and reading would follow it.
 */
final class PassiveEndpoint implements ConnectionEvents.Owner, BackendBase.Listener {
    private final LibfabricBackend backend;
    private final ConnectionEvents events;
    private final FiPassiveEndpoint endpoint;
    private final ConnectionParameters parameters;
    private final ListenEndpoint handle;
    private boolean closed;

    PassiveEndpoint(LibfabricBackend backend, FabricResources resources, FiInfo info, ConnectionParameters parameters,
            @Nullable Object attachment) {
        this.backend = backend;
        this.parameters = parameters;
        this.endpoint = resources.fabric().openPassiveEndpoint(info);
        this.events = new ConnectionEvents(backend.loop(), resources.fabric());
        @Nullable InetSocketAddress bound;
        try {
            endpoint.bind(events.queue());
            endpoint.listen();
            bound = endpoint.name();
        } catch (RuntimeException e) {
            events.stop();
            endpoint.close();
            events.close();
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
    public void onRequest(FiInfo info) {
        try (info) {
            if (!backend.accept(info, handle, parameters)) {
                endpoint.reject(info.handle());
            }
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
    public void close() {
        if (!closed) {
            closed = true;
            events.stop();
            endpoint.close();
            events.close();
        }
    }
}
