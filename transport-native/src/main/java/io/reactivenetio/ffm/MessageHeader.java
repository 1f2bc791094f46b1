// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.ffm;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** A reusable {@code struct msghdr}, of which only the vector is ever set. Owned by one thread. */
public final class MessageHeader {
    static final long SIZEOF_MSGHDR = 56;
    static final long MSG_IOV = 16;
    static final long MSG_IOVLEN = 24;

    private final MemorySegment segment = Arena.ofAuto().allocate(SIZEOF_MSGHDR, 16);

    /** The struct. */
    public MemorySegment segment() {
        return segment;
    }

    /** Names {@code count} entries of an {@link IoVector}. */
    public void set(MemorySegment vector, int count) {
        segment.set(ValueLayout.JAVA_LONG, MSG_IOV, vector.address());
        segment.set(ValueLayout.JAVA_LONG, MSG_IOVLEN, count);
    }
}
