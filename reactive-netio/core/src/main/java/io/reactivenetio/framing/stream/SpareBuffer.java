// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.framing.stream;

import io.reactivenetio.receive.ReassemblyBudget;
import io.reactivenetio.wire.BufferSource;
import io.reactivenetio.wire.ProtocolException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Heap buffers for messages that arrive in parts, within the loop's budget. One that nobody keeps is put by for the next message
 * of about its size, so that a stream of them makes no garbage where a decoder takes each at once. On the loop.
 */
final class SpareBuffer implements BufferSource {
    /** Bytes; what a connection may hold on to between messages. */
    private static final int LARGEST = 1 << 20;

    private final ReassemblyBudget.Share budget;
    private @Nullable ByteBuffer spare;

    SpareBuffer(ReassemblyBudget.Share budget) {
        this.budget = budget;
    }

    @Override
    public ByteBuffer allocate(int bytes, int most) throws ProtocolException {
        int wanted = fits(most) ? most : bytes;
        budget.take(wanted);
        ByteBuffer fitting = spare;
        if (fitting != null && fits(wanted)) {
            spare = null;
            return fitting.clear().limit(wanted);
        }
        try {
            return ByteBuffer.allocate(wanted);
        } catch (Throwable t) { // out of memory
            budget.give(wanted);
            throw t;
        }
    }

    private boolean fits(int bytes) {
        ByteBuffer buffer = spare;
        return buffer != null && buffer.capacity() >= bytes && buffer.capacity() / 2 <= bytes;
    }

    @Override
    public void finished(ByteBuffer buffer) {
        budget.give(buffer.limit());
    }

    @Override
    public void free(ByteBuffer buffer) {
        if (buffer.capacity() <= LARGEST) {
            spare = buffer;
        }
    }
}
