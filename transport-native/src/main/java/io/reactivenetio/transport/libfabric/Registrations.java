// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.libfabric;

import io.reactivenetio.ffm.fabric.Fi;
import io.reactivenetio.ffm.fabric.FiDomain;
import io.reactivenetio.ffm.fabric.FiMemoryRegion;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;

/**
 * The memory that is registered with a domain. Each piece is registered once, however many endpoints use it: pinned memory is
 * counted per registration. Confined to its loop.
 */
final class Registrations {
    private static final class Registered {
        private final FiMemoryRegion region;
        private int users;

        Registered(FiMemoryRegion region) {
            this.region = region;
        }
    }

    private final FiDomain domain;
    private final boolean needed;
    private final Map<MemorySegment, Registered> registered = new HashMap<>();
    private long keys;

    /** {@code mrMode}: what the domain demands. */
    Registrations(FiDomain domain, long mrMode) {
        this.domain = domain;
        this.needed = (mrMode & Fi.FI_MR_LOCAL) != 0;
    }

    /** The descriptor of {@code memory} for sends and receives; 0 where none is needed. To be matched by a {@link #release}. */
    long acquire(MemorySegment memory) {
        if (!needed || memory.byteSize() == 0) {
            return 0;
        }
        Registered entry = registered.get(memory);
        if (entry == null) {
            // tcp 1.17 refuses a second registration under a key in use, so each gets one of its own
            entry = new Registered(domain.register(memory, Fi.FI_SEND | Fi.FI_RECV, ++keys));
            registered.put(memory, entry);
        }
        entry.users++;
        return entry.region.descriptor();
    }

    void release(MemorySegment memory) {
        Registered entry = registered.get(memory);
        if (entry != null && --entry.users == 0) {
            registered.remove(memory);
            entry.region.close();
        }
    }

    /** How many pieces are registered. */
    int size() {
        return registered.size();
    }
}
