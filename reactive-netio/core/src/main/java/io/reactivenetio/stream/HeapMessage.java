// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.stream;

import io.reactivenetio.transport.ReceivedBuffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** A message that arrived in parts, put together on the heap: it holds no receive buffer. */
final class HeapMessage implements ReceivedBuffer {
    private final ByteBuffer data;

    /** From position 0 to limit. */
    HeapMessage(ByteBuffer data) {
        this.data = data.order(ByteOrder.LITTLE_ENDIAN);
    }

    @Override
    public ByteBuffer data() {
        return data;
    }

    @Override
    public int length() {
        return data.limit();
    }

    @Override
    public void retain() {
        // the garbage collector's
    }

    @Override
    public void release() {
        // the garbage collector's
    }
}
