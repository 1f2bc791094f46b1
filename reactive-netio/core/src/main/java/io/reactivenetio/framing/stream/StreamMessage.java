// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.framing.stream;

import io.reactivenetio.lease.MessageMemory;
import io.reactivenetio.lease.PageLeases;
import io.reactivenetio.lease.PageMessage;
import io.reactivenetio.lease.TaggedBuffer;
import io.reactivenetio.receive.CopiedMessage;
import io.reactivenetio.transport.backend.ReceivedBuffer;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A whole message, which lies in a page or was put together on the heap, and waits for demand. Whoever retains it keeps its page;
 * what is on the heap belongs to this object until its subscriber or a lease has it. Made on the loop; references are counted on
 * any thread.
 */
final class StreamMessage implements TaggedBuffer, PageMessage {
    private final ByteBuffer data;
    private final long tag;
    private final int status;
    private final Page page;
    private final int offset;
    private final @Nullable MessageMemory memory;

    private StreamMessage(ByteBuffer data, long tag, int status, Page page, int offset,
            @Nullable MessageMemory memory) {
        this.data = data;
        this.tag = tag;
        this.status = status;
        this.page = page;
        this.offset = offset;
        this.memory = memory;
    }

    static StreamMessage inPage(Page page, int offset, int length, long tag, int status) {
        return new StreamMessage(page.buffer().data().slice(offset, length), tag, status, page, offset, null);
    }

    /**
     * From position 0 to limit, beyond which there may be bytes of others. Its last part came in {@code page}: while it is kept,
     * the peer has to wait for that. {@code memory} is where the data came from.
     */
    static StreamMessage onHeap(Page page, ByteBuffer data, long tag, int status, @Nullable MessageMemory memory) {
        return new StreamMessage(data.limit() < data.capacity() ? data.slice() : data, tag, status, page,
                -1, memory);
    }

    /** A copy of this message, which does not keep the page. */
    CopiedMessage withoutPage() {
        return offset >= 0 ? CopiedMessage.of(this) : CopiedMessage.in(data, tag, status);
    }

    @Override
    public ByteBuffer data() {
        return data;
    }

    @Override
    public int offset() {
        return offset;
    }

    @Override
    public @Nullable ByteBuffer whole() {
        return offset >= 0 ? null : data;
    }

    @Override
    public @Nullable MessageMemory memory() {
        return memory;
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
    public ReceivedBuffer page() {
        return page;
    }

    @Override
    public PageLeases leases() {
        return page.leases();
    }

    @Override
    public void retain() {
        page.retain();
    }

    @Override
    public void release() {
        page.release();
    }
}
