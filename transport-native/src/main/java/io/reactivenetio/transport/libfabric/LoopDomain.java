// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.libfabric;

import io.reactivenetio.ffm.FiDomain;
import io.reactivenetio.ffm.FiInfo;
import io.reactivenetio.transport.ConnectionParameters;
import java.util.HashMap;
import java.util.Map;

/** One domain (device) on one loop: its registrations and the receive buffers that connections share on it. */
final class LoopDomain {
    private final LibfabricBackend backend;
    private final FiDomain domain;
    private final Registrations registrations;
    private final CompletionQueues queues;
    /** By whose connections share them: the backend's or a listen endpoint's. */
    private final Map<Object, SharedReceives> shared = new HashMap<>();

    LoopDomain(LibfabricBackend backend, FiDomain domain, long mrMode, CompletionQueues queues) {
        this.backend = backend;
        this.domain = domain;
        this.registrations = new Registrations(domain, mrMode);
        this.queues = queues;
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
        SharedReceives receives = shared.computeIfAbsent(sharers(endpoint), who ->
                new SharedReceives(backend, this, info, parameters));
        receives.join(endpoint);
        return receives;
    }

    /** After the endpoint is closed. Those of a listen endpoint go with its last connection. */
    void leave(ActiveEndpoint endpoint, SharedReceives receives) {
        if (receives.leave(endpoint) && !backend.bufferPolicy().backendSharesReceives()) {
            shared.remove(sharers(endpoint));
            receives.close();
        }
    }

    private Object sharers(ActiveEndpoint endpoint) {
        Object listener = endpoint.handle().listenEndpoint();
        return backend.bufferPolicy().backendSharesReceives() || listener == null ? backend : listener;
    }

    /** After every endpoint is closed. */
    void close() {
        shared.values().forEach(SharedReceives::close);
        shared.clear();
        domain.close();
    }
}
