// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.stream;

import io.reactivenetio.flow.TaggedBuffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/** A whole message: where it lies in a page, or put together on the heap, where it holds no receive buffer. */
final class StreamMessage implements TaggedBuffer {
    private final ByteBuffer data;
    private final long tag;
    private final int status;
    private final @Nullable Page page;

    private StreamMessage(ByteBuffer data, long tag, int status, @Nullable Page page) {
        this.data = data.order(ByteOrder.LITTLE_ENDIAN);
        this.tag = tag;
        this.status = status;
        this.page = page;
    }

    static StreamMessage inPage(Page page, int offset, int length, long tag, int status) {
        return new StreamMessage(page.buffer().data().slice(offset, length), tag, status, page);
    }

    /** From position 0 to limit. */
    static StreamMessage onHeap(ByteBuffer data, long tag, int status) {
        return new StreamMessage(data, tag, status, null);
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
        if (page != null) {
            page.retain();
        }
    }

    @Override
    public void release() {
        if (page != null) {
            page.release();
        }
    }
}
