// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.libfabric;

import io.reactivenetio.ffm.FiFabric;
import io.reactivenetio.ffm.FiInfo;
import io.reactivenetio.ffm.LibFabric;
import java.util.HashMap;
import java.util.Map;

/** One fabric on one loop: its event queue, its completion queues and its domains, opened when first needed. */
final class FabricResources {
    private final LibfabricBackend backend;
    private final String name;
    private final FiFabric fabric;
    private final ConnectionEvents events;
    private final CompletionQueues queues;
    private final Map<String, LoopDomain> domains = new HashMap<>();

    FabricResources(LibfabricBackend backend, LibFabric library, String name, FiInfo info) {
        this.backend = backend;
        this.name = name;
        this.fabric = SharedFabrics.acquire(library, backend.config().provider(), name, info);
        this.events = new ConnectionEvents(backend.loop(), fabric);
        this.queues = new CompletionQueues(backend.loop(), fabric);
        backend.loop().addPoller(queues);
        events.start();
    }

    String name() {
        return name;
    }

    FiFabric fabric() {
        return fabric;
    }

    ConnectionEvents events() {
        return events;
    }

    CompletionQueues queues() {
        return queues;
    }

    LoopDomain domain(FiInfo info) {
        return domains.computeIfAbsent(info.domainName(), device ->
                new LoopDomain(backend, fabric.openDomain(info), info.mrMode(), queues));
    }

    /** Pieces of memory that are registered in its domains. */
    int registeredRegions() {
        return domains.values().stream().mapToInt(domain -> domain.registrations().size()).sum();
    }

    /** After every endpoint is closed. */
    void close() {
        backend.loop().removePoller(queues);
        events.stop();
        domains.values().forEach(LoopDomain::close);
        domains.clear();
        events.close();
        SharedFabrics.release(backend.config().provider(), name);
    }
}
