// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.lease;

import io.reactivenetio.api.Lease;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One lease: one reference to a message, which is given back once. The user's object is this one, so that a lease costs one
 * object, and a view of its message where it is asked for. Any thread, but for {@link #begin}.
 */
public final class DefaultLease implements Lease {
    private static final VarHandle HANDLE;

    static {
        try {
            HANDLE = MethodHandles.lookup().findVarHandle(DefaultLease.class, "handle", LeasedBuffer.Handle.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** Null once the lease was given back. While it is there, the collector cannot take the lease for lost. */
    private volatile LeasedBuffer.@Nullable Handle handle;
    /** Read-only memory in which the message lies, in the byte order of its view. Other leases share it. */
    private @Nullable ByteBuffer memory;
    private int offset;
    private int length;
    private @Nullable ByteBuffer view;
    private @Nullable LeaseTrace trace;
    private @Nullable CheckedBuffer checked;
    private int generation;
    private long tag;
    private byte status;

    /** A lease on nothing, which {@link LeaseWindow#lease} or {@link #retain} makes one on a message. */
    DefaultLease() {
    }

    /** The lease that was counted at {@code holder}, on {@code bytes} bytes from {@code from} on in {@code message}. */
    void begin(LeasedBuffer.Handle holder, int itsGeneration, ByteBuffer message, int from, int bytes, long itsTag, int itsStatus,
            @Nullable LeaseTrace itsTrace) {
        generation = itsGeneration;
        tag = itsTag;
        status = (byte) itsStatus;
        trace = itsTrace;
        memory = message;
        offset = from;
        length = bytes;
        if (CheckedBuffer.ENABLED) {
            CheckedBuffer copy = CheckedBuffer.shared(view(message, from, bytes));
            checked = copy;
            memory = copy.data().asReadOnlyBuffer().order(message.order());
            offset = 0;
        }
        HANDLE.set(this, holder); // whoever hands the lease to another thread does so safely
    }

    private static ByteBuffer view(ByteBuffer memory, int offset, int length) {
        return memory.slice(offset, length).order(memory.order());
    }

    /** The memory, for as long as the caller does not give the lease back. */
    private ByteBuffer memory() {
        if (handle == null) {
            throw new IllegalStateException("a lease was used after its release");
        }
        if (trace != null) {
            trace.used();
        }
        return Objects.requireNonNull(memory);
    }

    private int at(int index, int bytes) {
        return offset + Objects.checkFromIndexSize(index, bytes, length);
    }

    @Override
    public ByteBuffer buffer() {
        ByteBuffer in = memory();
        ByteBuffer shown = view;
        if (shown == null) {
            shown = view(in, offset, length);
            view = shown;
        }
        return shown;
    }

    @Override
    public ByteBuffer copy() {
        ByteBuffer in = memory();
        return ByteBuffer.allocate(length).put(0, in, offset, length).order(in.order());
    }

    @Override
    public byte getByte(int index) {
        return memory().get(at(index, Byte.BYTES));
    }

    @Override
    public short getShort(int index) {
        return memory().getShort(at(index, Short.BYTES));
    }

    @Override
    public int getInt(int index) {
        return memory().getInt(at(index, Integer.BYTES));
    }

    @Override
    public long getLong(int index) {
        return memory().getLong(at(index, Long.BYTES));
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
        return Byte.toUnsignedInt(status);
    }

    @Override
    public DefaultLease retain() {
        LeasedBuffer.Handle holder = handle;
        if (holder == null || !holder.retain(generation)) {
            throw new IllegalStateException("retain of a lease that has been released");
        }
        OpenLeases open = holder.buffer().owner();
        DefaultLease other = new DefaultLease();
        other.begin(holder, generation, Objects.requireNonNull(memory), offset, length, tag, status(),
                open.traceRetained(holder.buffer()));
        return other;
    }

    @Override
    public void release() {
        if (!giveBackOnce()) {
            throw new IllegalStateException("a lease was released twice");
        }
    }

    @Override
    public void close() {
        giveBackOnce();
    }

    /** False if it was given back before. */
    boolean giveBackOnce() {
        if (handle == null) { // as a rule so where an operator discards a lease that was closed: an exchange costs more
            return false;
        }
        LeasedBuffer.Handle holder = (LeasedBuffer.Handle) HANDLE.getAndSet(this, null);
        if (holder == null) {
            return false;
        }
        try {
            if (trace != null) {
                trace.end();
            }
            if (checked != null) {
                checked.close();
            }
        } finally {
            holder.leave(1);
        }
        return true;
    }

    @Override
    public boolean isReleased() {
        return handle == null;
    }

    @Override
    public String toString() {
        return isReleased() ? "lease, released" : "lease on a message";
    }
}
