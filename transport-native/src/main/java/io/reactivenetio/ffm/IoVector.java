// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.ffm;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** A reusable array of {@code struct iovec}. Whoever fills it vouches for the addresses until the call that uses it is over. */
public final class IoVector {
    /** The most entries one call takes: IOV_MAX. */
    public static final int MAX_ENTRIES = 1024;

    private static final long SIZE = 16;

    private final MemorySegment segment;
    private final int capacity;

    public IoVector(int capacity) {
        this.capacity = Math.min(capacity, MAX_ENTRIES);
        this.segment = Arena.ofAuto().allocate(this.capacity * SIZE, 16);
    }

    public MemorySegment segment() {
        return segment;
    }

    public int capacity() {
        return capacity;
    }

    /** Entry {@code index}: {@code length} bytes at {@code address}. */
    public void set(int index, long address, long length) {
        segment.set(ValueLayout.JAVA_LONG, index * SIZE, address);
        segment.set(ValueLayout.JAVA_LONG, index * SIZE + Long.BYTES, length);
    }
}
