// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.receive;

import io.reactivenetio.lease.MessageMemory;
import io.reactivenetio.lease.PageLeases;
import io.reactivenetio.lease.ReceivedMessage;
import io.reactivenetio.transport.backend.ReceivedBuffer;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A run of one message. It lies in a receive buffer, or was put together on the heap; then it belongs to this object until a
 * subscriber or a lease has it. The receive buffer is the backend's, unless the message is {@linkplain #keep kept}. An object
 * whose message was not kept may serve the next one. On the loop.
 */
public final class SingleMessage implements HeldRun {
    /** The page of a copy. */
    private static final ReceivedBuffer NONE = new ReceivedBuffer() {
        private static final ByteBuffer EMPTY = ByteBuffer.allocate(0);

        @Override
        public ByteBuffer data() {
            return EMPTY;
        }

        @Override
        public int length() {
            return 0;
        }

        @Override
        public void retain() {
        }

        @Override
        public void release() {
        }
    };

    private final PageLeases leases;
    private ReceivedBuffer page;
    private @Nullable ByteBuffer whole;
    private @Nullable MessageMemory memory;
    private @Nullable ByteBuffer view;
    private int offset;
    private int length;
    private long tag;
    private int status;
    private boolean given;

    private SingleMessage(ReceivedBuffer page, PageLeases leases) {
        this.page = page;
        this.leases = leases;
    }

    /** One that serves message after message, each of which fills its receive buffer. */
    public SingleMessage() {
        this(NONE, new PageLeases());
    }

    /** The message where {@code other} shows it. */
    public static SingleMessage at(ReceivedMessage other) {
        SingleMessage message = new SingleMessage(other.page(), other.leases());
        message.offset = other.offset();
        message.describe(other.length(), other.tag(), other.status());
        return message;
    }

    /**
     * A message that was put together in {@code whole}, from position 0 to limit; beyond there may be bytes of others. Its last
     * part came in {@code page}: while it is kept, the peer has to wait for that. {@code memory} is where {@code whole} came
     * from.
     */
    public static SingleMessage onHeap(ReceivedBuffer page, PageLeases leases, ByteBuffer whole, long tag, int status,
            @Nullable MessageMemory memory) {
        SingleMessage message = new SingleMessage(page, leases);
        message.whole = whole;
        message.memory = memory;
        message.describe(whole.limit(), tag, status);
        return message;
    }

    private void describe(int bytes, long itsTag, int itsStatus) {
        length = bytes;
        tag = itsTag;
        status = itsStatus;
    }

    /** Begins with the message that fills {@code buffer}. */
    public SingleMessage begin(ReceivedBuffer buffer) {
        leases.clear();
        view = null;
        page = buffer;
        length = buffer.length();
        return this;
    }

    /** Keeps the receive buffer until {@link #leave}. */
    public SingleMessage keep() {
        page.retain();
        return this;
    }

    /** The message without its receive buffer: as a copy, unless it was put together. */
    public SingleMessage withoutPage() {
        return onHeap(NONE, new PageLeases(), whole == null ? copy() : whole, tag, status, null);
    }

    /** Whether the memory of the message that was put together belongs to the subscriber or a lease. */
    public boolean isGiven() {
        return given;
    }

    @Override
    public boolean next() {
        return false;
    }

    @Override
    public int waiting() {
        return 1;
    }

    @Override
    public long waitingBytes() {
        return length;
    }

    @Override
    public int heldBytes() {
        return length;
    }

    @Override
    public void leave() {
        leases.settle();
        page.release();
    }

    // ---- the message

    @Override
    public ByteBuffer data() {
        ByteBuffer shown = view;
        if (shown == null) {
            ByteBuffer in = inMemory();
            shown = whole == null && length == page.length() ? in : in.slice(offset, length);
            view = shown;
        }
        return shown;
    }

    @Override
    public ByteBuffer inMemory() {
        return whole == null ? page.data() : whole;
    }

    /** The message as a copy. A message that was put together is a copy already, and is given away itself. */
    @Override
    public ByteBuffer copy() {
        ByteBuffer all = whole;
        if (all != null && all.capacity() == length) { // its array has nothing but the message
            given = true;
            return all;
        }
        return HeldRun.super.copy();
    }

    @Override
    public ReceivedBuffer page() {
        return page;
    }

    @Override
    public int offset() {
        return offset;
    }

    @Override
    public @Nullable ByteBuffer whole() {
        given = whole != null;
        return whole;
    }

    @Override
    public @Nullable MessageMemory memory() {
        return memory;
    }

    @Override
    public PageLeases leases() {
        return leases;
    }

    @Override
    public int length() {
        return length;
    }

    @Override
    public long tag() {
        return tag;
    }

    @Override
    public int status() {
        return status;
    }
}
