// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.wire;

import java.nio.ByteBuffer;

/**
 * The limits within which one connection puts messages together that arrive in parts: the largest message, and the bytes of all
 * that have begun and not ended. Confined to one thread.
 */
public final class Reassembly {
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

    /** For the messages of {@code stream}, one after the other. */
    public PartialMessage of(int stream) {
        return new PartialMessage(this, stream);
    }

    /** Bytes of all messages that have begun and not ended, as their first parts announced them. */
    public long reserved() {
        return reserved;
    }

    void check(int stream, int bytes) throws ProtocolException {
        if (Integer.compareUnsigned(bytes, maxMessage) > 0) {
            throw new ProtocolException("a message of " + Integer.toUnsignedString(bytes) + " bytes on stream "
                    + Integer.toUnsignedString(stream) + "; the handshake allowed " + maxMessage);
        }
    }

    ByteBuffer allocate(int stream, int bytes) throws ProtocolException {
        check(stream, bytes);
        if (bytes > budget - reserved) {
            throw new ProtocolException("a message of " + bytes + " bytes in parts on stream " + Integer.toUnsignedString(stream)
                    + ", with " + reserved + " bytes of others unfinished; the handshake allowed " + budget + " together");
        }
        ByteBuffer buffer = buffers.allocate(bytes);
        reserved += bytes;
        return buffer;
    }

    void finished(int bytes) {
        reserved -= bytes;
    }

    void free(ByteBuffer buffer) {
        buffers.free(buffer);
    }
}
