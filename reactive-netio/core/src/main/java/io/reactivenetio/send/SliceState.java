// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.send;

import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.transport.GatherList;
import io.reactivenetio.transport.MemoryRegion;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/**
 * A part of a region: the user's, or, from when it is handed to a send until the network has no more use for it, that send's.
 * What the user may change, he may change while it is his.
 */
public final class SliceState {
    private static final VarHandle IN_USE;

    static {
        try {
            IN_USE = MethodHandles.lookup().findVarHandle(SliceState.class, "inUse", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final RegionState region;
    private final long offset;
    private final ByteBuffer buffer;
    private final ByteBuffer header = ByteBuffer.allocate(GatherList.MAX_HEADER);
    private volatile @Nullable Runnable whenReusable;

    @SuppressWarnings("unused") // written through IN_USE
    private volatile boolean inUse;

    // what is sent, as it was when it was handed over
    private int start;
    private int length;

    /** {@code length} bytes of the region from {@code offset} on. */
    public SliceState(RegionState region, long offset, int length) {
        MemoryRegion memory = region.memory();
        if (region.isClosed()) {
            throw new IllegalStateException("the region of " + memory.size() + " bytes is closed");
        }
        if (offset < 0 || length < 0 || offset > memory.size() - length) {
            throw new IndexOutOfBoundsException("a slice of " + length + " bytes at " + offset + " is outside the region of "
                    + memory.size() + " bytes");
        }
        this.region = region;
        this.offset = offset;
        this.buffer = memory.segment().asSlice(offset, length).asByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
        header.limit(0);
    }

    // ---- the user's

    public RegionState region() {
        return region;
    }

    public long offset() {
        return offset;
    }

    public ByteBuffer buffer() {
        return buffer;
    }

    public boolean isInUse() {
        return inUse;
    }

    /** Copies what remains in {@code data}, and leaves that alone. */
    public void header(ByteBuffer data) {
        checkFree();
        int bytes = data.remaining();
        if (bytes > GatherList.MAX_HEADER) {
            throw new IllegalArgumentException("a header of " + bytes + " bytes; at most " + GatherList.MAX_HEADER);
        }
        header.clear().put(0, data, data.position(), bytes).limit(bytes);
    }

    public void whenReusable(Runnable action) {
        checkFree();
        whenReusable = action;
    }

    private void checkFree() {
        if (inUse) {
            throw new IllegalStateException(this + " is being sent: wait until it is reusable");
        }
    }

    // ---- a send's

    /** Takes it from the user, with what is in it now. False if a send has it already. */
    boolean begin() {
        if (!IN_USE.compareAndSet(this, false, true)) {
            return false;
        }
        start = buffer.position();
        length = buffer.remaining();
        return true;
    }

    /** Bytes of the message, header included. */
    long bytes() {
        return (long) length + header.limit();
    }

    void gatherInto(GatherList message) {
        message.clear();
        if (header.limit() > 0) {
            message.header(header.position(0));
        }
        message.add(offset + start, length);
    }

    /** Gives it back to the user. What his action throws is reported. */
    void end(EventLoop loop) {
        Runnable action = whenReusable; // before it is the user's again, who may change it
        inUse = false;
        if (action != null) {
            try {
                action.run();
            } catch (Throwable t) {
                report(t, loop);
            }
        }
    }

    private static void report(Throwable thrown, EventLoop loop) {
        if (loop.inEventLoop()) {
            loop.report(thrown);
        } else {
            Operators.onErrorDropped(thrown, Context.empty());
        }
    }

    @Override
    public String toString() {
        return "slice of " + buffer.capacity() + " bytes at " + offset;
    }
}
