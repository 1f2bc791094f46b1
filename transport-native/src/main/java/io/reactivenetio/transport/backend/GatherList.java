// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.backend;

import java.nio.ByteBuffer;

/**
 * What a zero-copy send gathers into one message: up to {@value #MAX_HEADER} bytes of header, copied at once, then spans of the
 * connection's {@link MemoryRegion} in order. Reusable: {@link NetworkBackend#sendZeroCopy} takes over what it says, and it
 * can be cleared and filled anew right after. One thread at a time; if another changes it meanwhile, some mixture is sent or
 * refused, but never anything outside the region.
 */
public final class GatherList {
    /** Bytes of header data at most. */
    public static final int MAX_HEADER = 16;

    /** Spans at most; a provider may take fewer, the header counting as one of its entries. */
    public static final int MAX_SPANS = 16;

    private final long[] offsets = new long[MAX_SPANS];
    private final long[] lengths = new long[MAX_SPANS];
    private final byte[] header = new byte[MAX_HEADER];
    private int headerLength;
    private int spans;
    private long bytes;

    /** An empty one. */
    public GatherList() {
    }

    /** Empties it. */
    public GatherList clear() {
        headerLength = 0;
        spans = 0;
        bytes = 0;
        return this;
    }

    /** Copies what remains in {@code data} as the header. */
    public GatherList header(ByteBuffer data) {
        if (data.remaining() > MAX_HEADER) {
            throw new IllegalArgumentException("a header of " + data.remaining() + " bytes; at most " + MAX_HEADER);
        }
        bytes += data.remaining() - headerLength;
        headerLength = data.remaining();
        data.get(header, 0, headerLength);
        return this;
    }

    /** The next {@code length} bytes are those at {@code offset} of the region. */
    public GatherList add(long offset, long length) {
        if (offset < 0 || length < 0) {
            throw new IllegalArgumentException("offset and length must not be negative: " + offset + ", " + length);
        }
        if (spans == MAX_SPANS) {
            throw new IllegalStateException("more than " + MAX_SPANS + " spans");
        }
        offsets[spans] = offset;
        lengths[spans] = length;
        spans++;
        bytes += length;
        return this;
    }

    /** Bytes of the whole message. */
    public long bytes() {
        return bytes;
    }

    /** How many spans there are. */
    public int spans() {
        return spans;
    }

    /** Where span {@code index} begins in the region. */
    public long offset(int index) {
        return offsets[index];
    }

    /** How long span {@code index} is. */
    public long length(int index) {
        return lengths[index];
    }

    /** Bytes of header. */
    public int headerLength() {
        return headerLength;
    }

    /** Byte {@code index} of the header. */
    public byte header(int index) {
        return header[index];
    }
}
