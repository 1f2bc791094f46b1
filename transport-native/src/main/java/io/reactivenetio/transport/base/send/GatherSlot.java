// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.base.send;

import io.reactivenetio.memory.Slab;
import io.reactivenetio.transport.backend.GatherList;

/**
 * One zero-copy send: its header, copied, and where in the region its spans are. While it is in flight the backend reads it, the
 * header and the spans, on the loop. The lock of the endpoint's sends guards the change of owner.
 */
public final class GatherSlot extends SendOperation {
    private final int index;
    private final Slab headers;
    private final long[] addresses = new long[GatherList.MAX_SPANS];
    private final long[] lengths = new long[GatherList.MAX_SPANS];
    boolean inFlight;
    private long key;
    private int spans;
    private int headerLength;
    private long size;

    GatherSlot(int index, Slab headers) {
        this.index = index;
        this.headers = headers;
    }

    /**
     * Copies the message, and reads each part of it once: another thread may change it meanwhile. The copy is what is checked and
     * sent. Until {@link #place} the addresses are offsets in the region, and spans may be empty.
     */
    void copy(GatherList message, long callersKey) {
        key = callersKey;
        spans = requireRange(message.spans(), GatherList.MAX_SPANS);
        headerLength = requireRange(message.headerLength(), GatherList.MAX_HEADER);
        size = headerLength;
        for (int i = 0; i < spans; i++) {
            addresses[i] = message.offset(i);
            lengths[i] = message.length(i);
            size = lengths[i] > Long.MAX_VALUE - size ? Long.MAX_VALUE : size + lengths[i];
        }
        for (int i = 0; i < headerLength; i++) {
            headers.view(index).put(i, message.header(i));
        }
    }

    private static int requireRange(int number, int most) {
        if (number < 0 || number > most) {
            throw new IllegalArgumentException("a gather list that several threads change at the same time");
        }
        return number;
    }

    /** Makes addresses of the offsets, and leaves empty spans out. */
    void place(long regionAddress) {
        int kept = 0;
        for (int i = 0; i < spans; i++) {
            if (lengths[i] > 0) {
                addresses[kept] = regionAddress + addresses[i];
                lengths[kept++] = lengths[i];
            }
        }
        spans = kept;
    }

    /** Its index among the endpoint's zero-copy sends. */
    public int index() {
        return index;
    }

    /** Where the headers of all are; the backend's own headroom is before each. */
    public Slab headers() {
        return headers;
    }

    /** Changes each time the slot becomes free. */
    public int generation() {
        return headers.generation(index);
    }

    public long key() {
        return key;
    }

    /** Bytes of the whole message. */
    public int bytes() {
        return (int) size;
    }

    long size() {
        return size;
    }

    /** Spans that are not empty. */
    public int spans() {
        return spans;
    }

    public long address(int span) {
        return addresses[span];
    }

    public long length(int span) {
        return lengths[span];
    }

    /** Where the header is. */
    public long headerAddress() {
        return headers.address(index);
    }

    public int headerLength() {
        return headerLength;
    }
}
