// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.stream;

import io.reactivenetio.wire.BufferSource;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Heap buffers for messages that arrive in parts. One that nobody keeps is put by for the next message of about its size, so
 * that a stream of them makes no garbage where a decoder takes each at once. On the loop.
 */
final class SpareBuffer implements BufferSource {
    /** Bytes; what a connection may hold on to between messages. */
    private static final int LARGEST = 1 << 20;

    private @Nullable ByteBuffer spare;

    @Override
    public ByteBuffer allocate(int bytes) {
        ByteBuffer fitting = spare;
        if (fitting == null || fitting.capacity() < bytes || fitting.capacity() / 2 > bytes) {
            return ByteBuffer.allocate(bytes);
        }
        spare = null;
        return fitting.clear().limit(bytes);
    }

    @Override
    public void free(ByteBuffer buffer) {
        if (buffer.capacity() <= LARGEST) {
            spare = buffer;
        }
    }
}
