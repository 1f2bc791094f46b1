// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.ffm.fabric;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The spans of memory that one message is gathered from: a {@code struct fi_msg} with its iovecs and descriptors, for
 * {@link FiEndpoint#sendMessage(FiMessage, long, long)}; fi_msg(3). Filled anew for each message and read during the call
 * only, so one object serves all endpoints of a thread. Allocates nothing but itself. One thread.
 */
public final class FiMessage {
    private static final int MOST_SPANS = 1024;

    private final MemorySegment memory;
    private final long address;
    private final long descriptors;
    private final int capacity;
    private int count;
    private boolean described = true;

    /**
     * Room for {@code capacity} spans. What a provider takes is often less: {@link FiInfo#txIovLimit()}.
     *
     * @throws IllegalArgumentException if {@code capacity} is not between 1 and 1024
     */
    public FiMessage(int capacity) {
        if (capacity < 1 || capacity > MOST_SPANS) {
            throw new IllegalArgumentException("capacity " + capacity + " is not between 1 and " + MOST_SPANS);
        }
        this.capacity = capacity;
        this.descriptors = FiLayout.SIZEOF_MSG + capacity * FiLayout.SIZEOF_IOV;
        this.memory = Arena.ofAuto().allocate(descriptors + capacity * (long) Long.BYTES, 8);
        this.address = memory.address();
        memory.set(ValueLayout.JAVA_LONG, FiLayout.MSG_IOV, address + FiLayout.SIZEOF_MSG);
    }

    public int capacity() {
        return capacity;
    }

    /** How many spans it has. */
    public int count() {
        return count;
    }

    /** Forgets all spans. */
    public FiMessage clear() {
        count = 0;
        described = true;
        return this;
    }

    /**
     * Appends {@code length} bytes at {@code spanAddress}.
     *
     * @param descriptor of the region the span lies in, {@link FiMemoryRegion#descriptor()}; each span may lie in another.
     *     If one is 0, the provider is given none at all: it then copies the message, which must fit, or says that it cannot
     * @throws IllegalStateException if there is no room
     */
    public FiMessage add(long spanAddress, long length, long descriptor) {
        if (count == capacity) {
            throw new IllegalStateException("no room for more than " + capacity + " spans");
        }
        long entry = FiLayout.SIZEOF_MSG + count * FiLayout.SIZEOF_IOV;
        memory.set(ValueLayout.JAVA_LONG, entry + FiLayout.IOV_BASE, spanAddress);
        memory.set(ValueLayout.JAVA_LONG, entry + FiLayout.IOV_LEN, length);
        memory.set(ValueLayout.JAVA_LONG, descriptors + count * (long) Long.BYTES, descriptor);
        // verbs follows each descriptor as a pointer, but takes "no descriptors".
        described &= descriptor != 0;
        count++;
        return this;
    }

    /** Completes the struct and returns its address, valid while this object is reachable. */
    long prepare(long context) {
        memory.set(ValueLayout.JAVA_LONG, FiLayout.MSG_DESC, described ? address + descriptors : 0);
        memory.set(ValueLayout.JAVA_LONG, FiLayout.MSG_IOV_COUNT, count);
        memory.set(ValueLayout.JAVA_LONG, FiLayout.MSG_CONTEXT, context);
        return address;
    }
}
