// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.send;

import io.reactivenetio.api.RegionSlice;
import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.transport.backend.GatherList;
import io.reactivenetio.transport.backend.MemoryRegion;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/**
 * A slice of a region. The user owns it until it is handed to a send. From then on the send owns it, until the network has read
 * it. The user may modify a slice only while owning it.
 */
public final class SliceState implements RegionSlice {
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
    private volatile @Nullable Consumer<? super RegionSlice> whenReusable;

    @SuppressWarnings("unused") // written through IN_USE
    private volatile boolean inUse;

    // what is sent: set when a send takes the slice, and read by that send
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
        this.buffer = memory.segment().asSlice(offset, length).asByteBuffer();
        header.limit(0);
    }

    // ---- while the user owns it

    public RegionState region() {
        return region;
    }

    @Override
    public long offset() {
        return offset;
    }

    @Override
    public ByteBuffer buffer() {
        return buffer;
    }

    @Override
    public boolean isInUse() {
        return inUse;
    }

    @Override
    public RegionSlice header(ByteBuffer data) {
        checkFree();
        int bytes = data.remaining();
        if (bytes > GatherList.MAX_HEADER) {
            throw new IllegalArgumentException("a header of " + bytes + " bytes; at most " + GatherList.MAX_HEADER);
        }
        header.clear().put(0, data, data.position(), bytes).limit(bytes);
        return this;
    }

    @Override
    public RegionSlice onReusable(Consumer<? super RegionSlice> action) {
        checkFree();
        whenReusable = Objects.requireNonNull(action, "action");
        return this;
    }

    private void checkFree() {
        if (inUse) {
            throw new IllegalStateException(this + " is being sent: wait until it is reusable");
        }
    }

    // ---- while a send owns it

    /**
     * Makes the calling send the owner, with the bytes that the slice has now. Returns false if another send owns the slice. Any
     * thread.
     */
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

    /**
     * Makes the user the owner again, and runs the action that waits for that. What the action throws is reported. Any thread.
     */
    void end(EventLoop loop) {
        // read first: the user may set another one as soon as the slice is not in use
        Consumer<? super RegionSlice> action = whenReusable;
        inUse = false;
        if (action != null) {
            try {
                action.accept(this);
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
