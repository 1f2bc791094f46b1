// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.send;

import io.reactivenetio.transport.backend.SendBuffer;
import java.nio.ByteBuffer;

/**
 * Memory for one message that is to be sent later, used where no send buffer is free for it, or where it must not occupy a send
 * buffer that other connections need. It belongs to one sender, or to the held message, and is allocated when first needed. Its
 * bytes are copied into a send buffer when the message is sent. The upstream's thread fills a sender's, and the loop empties it;
 * the others are on the loop.
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

    /** -1, as it is none of the backend's buffers. */
    @Override
    public int key() {
        return -1;
    }

    @Override
    public void release() {
        // it stays with its owner
    }

    /** Copies the message of {@code buffer} here, and releases that. */
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
