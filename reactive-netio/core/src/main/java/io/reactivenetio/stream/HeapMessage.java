// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.stream;

import io.reactivenetio.flow.TaggedBuffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** A message that arrived in parts, put together on the heap: it holds no receive buffer. */
final class HeapMessage implements TaggedBuffer {
    private final ByteBuffer data;
    private final long tag;
    private final int status;

    /** From position 0 to limit. */
    HeapMessage(ByteBuffer data, long tag, int status) {
        this.tag = tag;
        this.status = status;
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
    public long tag() {
        return tag;
    }

    @Override
    public int status() {
        return status;
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
