// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.libfabric;

import io.reactivenetio.ffm.fabric.FiFabric;
import io.reactivenetio.ffm.fabric.FiInfo;
import io.reactivenetio.ffm.fabric.LibFabric;
import io.reactivenetio.transport.base.BackendContext;
import java.util.HashMap;
import java.util.Map;

/**
 * What one loop has of a fabric: an event queue, the completion queues, and the domains, which open when first needed. Confined
 * to the loop.
 */
final class FabricResources {
    private final BackendContext backend;
    private final LibFabric library;
    private final String name;
    private final FiFabric fabric;
    private final ConnectionEvents events;
    private final CompletionQueues queues;
    /** The domains by their names. */
    private final Map<String, LoopDomain> domains = new HashMap<>();

    FabricResources(BackendContext backend, LibFabric library, String name, FiInfo info) {
        this.backend = backend;
        this.library = library;
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

    /** The domain that {@code info} names. */
    LoopDomain domain(FiInfo info) {
        return domains.computeIfAbsent(info.domainName(), domain ->
                new LoopDomain(backend, library, fabric.openDomain(info), info.mrMode(), queues));
    }

    /** The number of pieces of memory that are registered in its domains. */
    int registeredRegions() {
        return domains.values().stream().mapToInt(domain -> domain.registrations().size()).sum();
    }

    /** Closes them, after every endpoint is closed. */
    void close() {
        backend.loop().removePoller(queues);
        events.stop();
        if (closeDomains()) {
            events.close();
            SharedFabrics.release(backend.config().provider(), name);
        } // else the event queue stays open, because what is left of a domain may still report to it
    }

    /** Returns whether all are closed. A failure is reported and not thrown, so that other fabrics and the buffers close too. */
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
