// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.libfabric;

import io.reactivenetio.ffm.fabric.FiDomain;
import io.reactivenetio.ffm.fabric.FiInfo;
import io.reactivenetio.transport.ConnectionParameters;
import io.reactivenetio.transport.base.SharedReceivePools;

/** One domain (device) on one loop: its registrations and the receive buffers that connections share on it. */
final class LoopDomain {
    private final LibfabricBackend backend;
    private final FiDomain domain;
    private final Registrations registrations;
    private final CompletionQueues queues;
    private final SharedReceivePools<ActiveEndpoint, SharedReceives> sharedReceives;

    LoopDomain(LibfabricBackend backend, FiDomain domain, long mrMode, CompletionQueues queues) {
        this.backend = backend;
        this.domain = domain;
        this.registrations = new Registrations(domain, mrMode);
        this.queues = queues;
        this.sharedReceives = new SharedReceivePools<>(backend);
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

    /** The receive buffers that {@code endpoint} shares with others. */
    SharedReceives join(ActiveEndpoint endpoint, FiInfo info, ConnectionParameters parameters) {
        return sharedReceives.join(endpoint, () -> new SharedReceives(backend, this, info, parameters));
    }

    /** After the endpoint is closed. */
    void leave(ActiveEndpoint endpoint, SharedReceives receives) {
        sharedReceives.leave(endpoint, receives);
    }

    /** After every endpoint is closed. */
    void close() {
        sharedReceives.closeAll();
        domain.close();
    }
}
