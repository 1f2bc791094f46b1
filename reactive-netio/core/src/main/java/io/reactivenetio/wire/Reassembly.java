// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.wire;

import java.nio.ByteBuffer;

/**
 * The limits of one connection for messages that arrive in parts: the size of the largest message, and of all that have begun and
 * not ended. Confined to one thread.
 */
public final class Reassembly {
    /**
     * The memory for a message is its size, or that divided by a power of this number: the least memory that the parts that have
     * arrived fit. So a peer that only announces messages costs next to nothing, and at most a third of a message is copied while
     * its memory grows.
     */
    public static final int GROWTH = 4;
    /** The least memory for a message, in bytes. */
    private static final int SMALLEST = 1024;

    private final int maxMessage;
    private final long budget;
    private final BufferSource buffers;
    private long reserved;

    /** {@code maxMessage} and {@code budget}, in bytes, are what our handshake says. */
    public Reassembly(int maxMessage, long budget, BufferSource buffers) {
        if (maxMessage < 0 || budget < maxMessage) {
            throw new IllegalArgumentException("a budget of " + budget + " bytes for messages of up to " + maxMessage);
        }
        this.maxMessage = maxMessage;
        this.budget = budget;
        this.buffers = buffers;
    }

    /** Makes the object for the messages of {@code stream}, one after the other. */
    public PartialMessage of(int stream) {
        return new PartialMessage(this, stream);
    }

    /** The size of all messages that have begun and not ended, as their first parts have announced it. */
    public long reserved() {
        return reserved;
    }

    int largest() {
        return maxMessage;
    }

    void check(int stream, int bytes) throws ProtocolException {
        if (Integer.compareUnsigned(bytes, maxMessage) > 0) {
            throw new ProtocolException("a message of " + Integer.toUnsignedString(bytes) + " bytes on stream "
                    + Integer.toUnsignedString(stream) + "; the handshake allowed " + maxMessage);
        }
    }

    /**
     * Begins a message of {@code total} bytes, of which {@code needed} have arrived. The total is reserved within what the
     * handshake allows; memory is allocated only for what has arrived.
     */
    ByteBuffer begin(int stream, int total, int needed) throws ProtocolException {
        check(stream, total);
        if (total > budget - reserved) {
            throw new ProtocolException("a message of " + total + " bytes in parts on stream " + Integer.toUnsignedString(stream)
                    + ", with " + reserved + " bytes of others unfinished; the handshake allowed " + budget + " together");
        }
        buffers.begun(total);
        ByteBuffer buffer = null;
        try {
            buffer = allocate(needed, total);
            reserved += total;
            return buffer;
        } finally {
            if (buffer == null) {
                buffers.ended(total);
            }
        }
    }

    private ByteBuffer allocate(int needed, int total) throws ProtocolException {
        int bytes = total;
        while (bytes / GROWTH >= Math.max(needed, SMALLEST)) {
            bytes /= GROWTH;
        }
        return buffers.allocate(bytes, total);
    }

    /** Returns a larger buffer, with the {@code filled} bytes that are in {@code buffer}. */
    ByteBuffer grow(ByteBuffer buffer, int filled, int needed, int total) throws ProtocolException {
        ByteBuffer larger = allocate(needed, total).put(0, buffer, 0, filled);
        buffers.finished(buffer);
        buffers.free(buffer);
        return larger;
    }

    /** Notes that the message in the buffer is whole, or was given up. */
    void finished(ByteBuffer buffer, int total) {
        reserved -= total;
        buffers.finished(buffer);
        buffers.ended(total);
    }

    void free(ByteBuffer buffer) {
        buffers.free(buffer);
    }
}
