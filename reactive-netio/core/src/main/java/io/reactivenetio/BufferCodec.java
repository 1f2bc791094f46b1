// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import io.reactivenetio.connection.HeapCopy;
import io.reactivenetio.diagnostics.UnflippedBuffers;
import java.nio.ByteBuffer;

/** Messages as copies in buffers. */
final class BufferCodec implements NetioCodec<ByteBuffer> {
    static final NetioCodec<ByteBuffer> INSTANCE = new BufferCodec();

    private BufferCodec() {
    }

    @Override
    public int size(ByteBuffer value) {
        return value.remaining();
    }

    @Override
    public void encode(ByteBuffer value, ByteBuffer target) {
        int bytes = value.remaining();
        if (bytes == 0) {
            UnflippedBuffers.check(value);
        }
        target.put(target.position(), value, value.position(), bytes).position(target.position() + bytes);
    }

    @Override
    public ByteBuffer decode(ByteBuffer message) {
        return HeapCopy.of(message);
    }
}
