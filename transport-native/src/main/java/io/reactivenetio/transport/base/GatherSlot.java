// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.base;

import io.reactivenetio.memory.Slab;
import io.reactivenetio.transport.GatherList;

/** One zero-copy send in flight: its header, copied, and where in the region its spans are. */
public final class GatherSlot extends SendOperation {
    private final int index;
    private final Slab headers;
    private final long[] addresses = new long[GatherList.MAX_SPANS];
    private final long[] lengths = new long[GatherList.MAX_SPANS];
    boolean inFlight;
    private long key;
    private int spans;
    private int headerLength;
    private int bytes;

    GatherSlot(int index, Slab headers) {
        this.index = index;
        this.headers = headers;
    }

    /** Takes the message over. */
    void fill(GatherList message, long regionAddress, long callersKey) {
        key = callersKey;
        bytes = (int) message.bytes();
        spans = 0;
        for (int i = 0; i < message.spans(); i++) {
            if (message.length(i) > 0) {
                addresses[spans] = regionAddress + message.offset(i);
                lengths[spans++] = message.length(i);
            }
        }
        headerLength = message.headerLength();
        for (int i = 0; i < headerLength; i++) {
            headers.view(index).put(i, message.header(i));
        }
    }

    /** Its index among the endpoint's zero-copy sends. */
    public int index() {
        return index;
    }

    /** Where the headers of all are; the backend's own headroom is before each. */
    public Slab headers() {
        return headers;
    }

    /** Changes each time it comes home. */
    public int generation() {
        return headers.generation(index);
    }

    long key() {
        return key;
    }

    /** Bytes of the whole message. */
    public int bytes() {
        return bytes;
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
