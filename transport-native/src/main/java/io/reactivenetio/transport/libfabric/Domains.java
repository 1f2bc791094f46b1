// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.libfabric;

import io.reactivenetio.ffm.FabricException;
import io.reactivenetio.ffm.Fi;
import io.reactivenetio.ffm.FiDomain;
import io.reactivenetio.ffm.FiFabric;
import io.reactivenetio.ffm.FiInfo;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The domains of one fabric on one loop, one for each name; several, where a domain can only bear so many sends.
 *
 * <p>That is the sockets provider. Its domain has a table for 128 operations under way, an endpoint that is closed leaves its
 * own in there for good (1.17, prov/sockets/src/sock_ep.c:704, sock_progress.c:203), and a domain whose table is full sends
 * nothing any more, without a word (sock_progress.c:2552). So each endpoint takes its worst case out of its domain's room, never
 * to give it back, and the next domain is opened when the room is used up.
 */
final class Domains {
    private static final class Shared {
        final FiDomain domain;
        int room;

        Shared(FiDomain domain, int room) {
            this.domain = domain;
            this.room = room;
        }
    }

    private final FiFabric fabric;
    private final Map<String, Shared> current = new HashMap<>();
    private final List<FiDomain> retired = new ArrayList<>();

    Domains(FiFabric fabric) {
        this.fabric = fabric;
    }

    /** The domain for an endpoint that has up to {@code operations} under way; {@code room} is what a domain can bear in all. */
    FiDomain domain(FiInfo info, int operations, int room) {
        Shared shared = current.get(info.domainName());
        if (shared == null || shared.room < operations) {
            if (shared != null) {
                retired.add(shared.domain);
            }
            shared = new Shared(fabric.openDomain(info), room);
            current.put(info.domainName(), shared);
        }
        shared.room -= Math.min(operations, shared.room);
        return shared.domain;
    }

    /** After each endpoint that is closed: a domain no new one is opened from goes with its last. */
    void sweep() {
        retired.removeIf(Domains::closes);
    }

    private static boolean closes(FiDomain domain) {
        try {
            domain.close();
            return true;
        } catch (FabricException e) {
            if (e.code() != Fi.FI_EBUSY) {
                throw e;
            }
            return false;
        }
    }

    /** After every endpoint is closed. */
    void close() {
        retired.forEach(FiDomain::close);
        current.values().forEach(shared -> shared.domain.close());
        retired.clear();
        current.clear();
    }
}
