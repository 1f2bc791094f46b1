// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.send;

import io.reactivenetio.transport.SendBuffer;
import java.nio.ByteBuffer;

/**
 * One message for which no send buffer is left, because slow senders hold them all, or that must not hold one that is others'
 * too. Memory of its own, made when first needed, and copied into a send buffer of the connection when it is sent.
 */
public final class StagingBuffer implements SendBuffer {
    private final ByteBuffer data;
    private int length;

    public StagingBuffer(int size) {
        data = ByteBuffer.allocate(size);
    }

    @Override
    public ByteBuffer data() {
        return data;
    }

    @Override
    public void length(int bytes) {
        length = bytes;
    }

    @Override
    public int length() {
        return length;
    }

    @Override
    public int key() {
        throw new UnsupportedOperationException("not a buffer of the backend");
    }

    @Override
    public void release() {
        // its sender's, always
    }

    /** Takes the message of {@code buffer} over, and gives that back. */
    void moveFrom(SendBuffer buffer) {
        length = buffer.length();
        data.put(0, buffer.data(), 0, length);
        buffer.release();
    }

    public void copyTo(SendBuffer buffer) {
        buffer.data().put(0, data, 0, length);
        buffer.length(length);
    }
}
