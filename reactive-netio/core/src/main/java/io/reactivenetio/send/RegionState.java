// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.send;

import io.reactivenetio.transport.backend.MemoryRegion;

/**
 * A region of memory that the user sends slices of. When it is closed, the sends that have begun go on, and no other begins. Any
 * thread.
 */
public final class RegionState {
    private final MemoryRegion memory;
    private volatile boolean closed;

    /** A region over {@code memory}, which is closed with the region. */
    public RegionState(MemoryRegion memory) {
        this.memory = memory;
    }

    public MemoryRegion memory() {
        return memory;
    }

    public boolean isClosed() {
        return closed;
    }

    /** Closes the region. Closing it again does nothing. */
    public void close() {
        closed = true;
        memory.close();
    }
}
