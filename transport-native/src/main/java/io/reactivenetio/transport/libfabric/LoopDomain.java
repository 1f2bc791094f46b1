// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.libfabric;

import io.reactivenetio.ffm.fabric.FiDomain;
import io.reactivenetio.ffm.fabric.FiInfo;
import io.reactivenetio.ffm.fabric.LibFabric;
import io.reactivenetio.transport.backend.ConnectionParameters;
import io.reactivenetio.transport.base.BackendContext;
import io.reactivenetio.transport.base.EndpointBase;
import io.reactivenetio.transport.base.receive.SharedReceivePools;

/**
 * One domain (device) on one loop: its registrations and the receive buffers that connections share on it. Confined
 * to the loop.
 */
final class LoopDomain {
    private final BackendContext backend;
    private final LibFabric library;
    private final FiDomain domain;
    private final Registrations registrations;
    private final CompletionQueues queues;
    private final DomainQueues sharedQueues;
    private final SharedReceivePools<EndpointBase, SharedReceives> sharedReceives;

    LoopDomain(BackendContext backend, LibFabric library, FiDomain domain, long mrMode, CompletionQueues queues) {
        this.backend = backend;
        this.library = library;
        this.domain = domain;
        this.registrations = new Registrations(domain, mrMode);
        this.queues = queues;
        this.sharedQueues = new DomainQueues(queues, domain, backend.config().provider());
        this.sharedReceives = new SharedReceivePools<>(backend.bufferPolicy().backendSharesReceives());
    }

    FiDomain domain() {
        return domain;
    }

    Registrations registrations() {
        return registrations;
    }

    CompletionQueues queues() {
        return queues;
    }

    DomainQueues sharedQueues() {
        return sharedQueues;
    }

    /** What the error {@code code} is in words. */
    String text(int code) {
        return library.strerror(code);
    }

    /** The receive buffers that {@code endpoint} shares with others. */
    SharedReceives join(EndpointBase endpoint, FiInfo info, ConnectionParameters parameters) {
        return sharedReceives.join(endpoint, endpoint.handle().listenEndpoint(),
                () -> new SharedReceives(backend, this, info, parameters));
    }

    /** Lets a closed endpoint leave. */
    void leave(EndpointBase endpoint, SharedReceives receives) {
        sharedReceives.leave(endpoint, receives);
    }

    /** Closes the domain, after every endpoint is closed. */
    void close() {
        sharedReceives.closeAll();
        domain.close();
    }
}
