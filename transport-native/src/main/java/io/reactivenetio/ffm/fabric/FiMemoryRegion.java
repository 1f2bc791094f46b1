// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.ffm.fabric;

import io.reactivenetio.ffm.RawMemory;
import java.lang.foreign.MemorySegment;

/** Registered memory; fi_mr(3). Closed after the last operation on it has completed, and before the memory is freed. */
public final class FiMemoryRegion extends Fid {
    private final MemorySegment segment;
    private final long descriptor;
    private final long key;

    FiMemoryRegion(FiFunctions functions, long address, MemorySegment segment) {
        super(functions, address);
        this.segment = segment;
        this.descriptor = RawMemory.getLong(address, FiLayout.MR_MEM_DESC);
        this.key = RawMemory.getLong(address, FiLayout.MR_KEY);
    }

    /** What send and receive take as their descriptor; 0 if the provider needs none. */
    public long descriptor() {
        open();
        return descriptor;
    }

    /** The key, for remote access. */
    public long key() {
        open();
        return key;
    }

    /** The memory, kept reachable by this region. */
    public MemorySegment segment() {
        return segment;
    }
}
