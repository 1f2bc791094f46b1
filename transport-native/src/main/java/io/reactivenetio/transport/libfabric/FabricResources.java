// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.libfabric;

import io.reactivenetio.ffm.FiFabric;
import io.reactivenetio.ffm.FiInfo;
import io.reactivenetio.ffm.LibFabric;

/** One fabric on one loop: its event queue, its completion queues and its domains, opened when first needed. */
final class FabricResources {
    private final LibfabricBackend backend;
    private final String name;
    private final FiFabric fabric;
    private final ConnectionEvents events;
    private final CompletionQueues queues;
    private final Domains domains;
    private int holders;
    private boolean closing;

    FabricResources(LibfabricBackend backend, LibFabric library, String name, FiInfo info) {
        this.backend = backend;
        this.name = name;
        this.fabric = SharedFabrics.acquire(library, backend.config().provider(), name, info);
        boolean silent = SilentQueues.has(library, backend.config().provider());
        this.events = openEvents(silent);
        this.queues = new CompletionQueues(backend.loop(), fabric, silent ? events : null);
        this.domains = new Domains(backend, fabric, queues);
        backend.loop().addPoller(queues);
        events.start();
    }

    private ConnectionEvents openEvents(boolean tellsOfData) {
        try {
            return new ConnectionEvents(backend.loop(), fabric, tellsOfData);
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

    Domains domains() {
        return domains;
    }

    /** Pieces of memory that are registered in its domains. */
    int registeredRegions() {
        return domains.registeredRegions();
    }

    /** What is opened from here is in use elsewhere, until {@link #release}. */
    void hold() {
        holders++;
    }

    void release() {
        holders--;
        if (closing && holders == 0) {
            closeAll();
        }
    }

    /** After every endpoint is closed, but for those that hold it still: the last of them takes the rest along. */
    void close() {
        backend.loop().removePoller(queues);
        events.stop();
        closing = true;
        if (holders == 0) {
            closeAll();
        }
    }

    private void closeAll() {
        if (closeDomains()) {
            events.close();
            SharedFabrics.release(backend.config().provider(), name);
        } // else an endpoint was abandoned, whose domain goes on reporting to the event queue of the fabric
    }

    /** One that cannot be closed must not keep the other fabrics, and the shared buffers, from it. */
    private boolean closeDomains() {
        try {
            return domains.close();
        } catch (RuntimeException e) {
            backend.report(e);
            return false;
        }
    }
}
