// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.libfabric;

import io.reactivenetio.ffm.FiFabric;
import io.reactivenetio.ffm.FiInfo;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The domains of one fabric on one loop, one for each name; several, where a domain can only bear so many sends.
 *
 * <p>That is the sockets provider. Its domain has a table for 128 operations under way, an endpoint that is closed leaves those
 * in there for good that the provider's thread has not cleared away yet (1.17, prov/sockets/src/sock_ep.c:704,
 * sock_progress.c:203), and a domain whose table is full sends nothing any more, without a word (sock_progress.c:2552). So each
 * endpoint takes its worst case out of its domain's room, never to give it back, and the next domain is opened when the room is
 * used up.
 */
final class Domains {
    private final LibfabricBackend backend;
    private final FiFabric fabric;
    private final CompletionQueues queues;
    private final Map<String, LoopDomain> current = new HashMap<>();
    private final List<LoopDomain> retired = new ArrayList<>();

    Domains(LibfabricBackend backend, FiFabric fabric, CompletionQueues queues) {
        this.backend = backend;
        this.fabric = fabric;
        this.queues = queues;
    }

    /** The domain for an endpoint that has up to {@code operations} under way; the endpoint enters and leaves it. */
    LoopDomain domain(FiInfo info, int operations) {
        LoopDomain domain = current.get(info.domainName());
        if (domain == null || !domain.hasRoom(operations)) {
            if (domain != null) {
                retired.add(domain);
            }
            domain = new LoopDomain(backend, fabric.openDomain(info), info.mrMode(), queues);
            current.put(info.domainName(), domain);
        }
        return domain;
    }

    /** Pieces of memory that are registered. */
    int registeredRegions() {
        int regions = 0;
        for (LoopDomain domain : current.values()) {
            regions += domain.registrations().size();
        }
        for (LoopDomain domain : retired) {
            regions += domain.registrations().size();
        }
        return regions;
    }

    /** After each endpoint that is closed: a domain no new one is opened from goes with its last. */
    void sweep() {
        retired.removeIf(LoopDomain::closeIfUnused);
    }

    /** After every endpoint is closed. False if one of them never will be: then its domain stays open, and what that is of. */
    boolean close() {
        retired.addAll(current.values());
        current.clear();
        boolean all = true;
        for (LoopDomain domain : retired) {
            all &= domain.close();
        }
        retired.clear();
        return all;
    }
}
