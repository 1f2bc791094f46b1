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
    /** By their names. */
    private final Map<String, LoopDomain> domains = new HashMap<>();

    FabricResources(LibfabricBackend backend, LibFabric library, String name, FiInfo info) {
        this.backend = backend;
        this.name = name;
        this.fabric = SharedFabrics.acquire(library, backend.config().provider(), name, info);
        boolean silent = WaitNoneQueues.usedBy(library, backend.config().provider());
        this.events = openEvents(silent);
        this.queues = new CompletionQueues(backend.loop(), fabric, silent ? events : null);
        backend.loop().addPoller(queues);
        events.start();
    }

    private ConnectionEvents openEvents(boolean wakesForData) {
        try {
            return new ConnectionEvents(backend.loop(), fabric, wakesForData);
        } catch (RuntimeException e) {
            SharedFabrics.release(backend.config().provider(), name);
            throw e;
        }
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

    /** The domain {@code info} names. */
    LoopDomain domain(FiInfo info) {
        return domains.computeIfAbsent(info.domainName(), domain ->
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
        if (closeDomains()) {
            events.close();
            SharedFabrics.release(backend.config().provider(), name);
        } // else what is left of a domain may go on reporting to the event queue
    }

    /** One that cannot be closed must not keep the other fabrics, and the shared buffers, from it. */
    private boolean closeDomains() {
        try {
            domains.values().forEach(LoopDomain::close);
            return true;
        } catch (RuntimeException e) {
            backend.report(e);
            return false;
        }
    }
}
