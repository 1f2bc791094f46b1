// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.send;

import io.reactivenetio.transport.MemoryRegion;

/** A region of the user's. Closed, nothing of it is sent any more, but what is under way. Any thread. */
public final class RegionState {
    private final MemoryRegion memory;
    private volatile boolean closed;

    /** Over this memory, which it closes. */
    public RegionState(MemoryRegion memory) {
        this.memory = memory;
    }

    public MemoryRegion memory() {
        return memory;
    }

    public boolean isClosed() {
        return closed;
    }

    /** Idempotent. */
    public void close() {
        closed = true;
        memory.close();
    }
}
