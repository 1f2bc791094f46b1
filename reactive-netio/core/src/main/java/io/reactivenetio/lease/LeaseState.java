// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.lease;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * One lease: one reference to a message, which is given back once. It is not the object that the user has, so that it is still
 * there when that one was lost. Any thread.
 */
public final class LeaseState {
    private static final VarHandle RELEASED;

    static {
        try {
            RELEASED = MethodHandles.lookup().findVarHandle(LeaseState.class, "released", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final LeasedMessage message;
    private final ByteBuffer view;
    private final @Nullable CheckedBuffer checked;
    private final @Nullable LeaseTrace trace;

    @SuppressWarnings("unused") // written through RELEASED
    private volatile boolean released;

    /** The reference is the caller's, who gives it away; with null, the origin is the place that now calls. */
    LeaseState(LeasedMessage message, @Nullable String origin) {
        this.message = message;
        this.checked = CheckedBuffer.ENABLED ? CheckedBuffer.shared(message.memory()) : null;
        this.view = (checked == null ? message.memory() : checked.data()).asReadOnlyBuffer().order(ByteOrder.LITTLE_ENDIAN);
        this.trace = LeaseTrace.of(this, origin);
    }

    /** Finds out if {@code lease}, the user's object, is lost before it is released. */
    public void watch(Object lease) {
        if (trace != null) {
            trace.watch(lease);
        }
    }

    public ByteBuffer buffer() {
        if (released) {
            throw new IllegalStateException("a lease was used after its release");
        }
        if (trace != null) {
            trace.used();
        }
        return view;
    }

    public long tag() {
        return message.tag();
    }

    public int status() {
        return message.status();
    }

    public LeaseState retain() {
        if (released || !message.retain()) {
            throw new IllegalStateException("retain of a lease that has been released");
        }
        return new LeaseState(message, null);
    }

    public void release() {
        if (!close()) {
            throw new IllegalStateException("a lease was released twice");
        }
    }

    /** False if it was released before. */
    public boolean close() {
        if (!RELEASED.compareAndSet(this, false, true)) {
            return false;
        }
        try {
            if (checked != null) {
                checked.close();
            }
        } finally {
            message.release();
            if (trace != null) {
                trace.end();
            }
        }
        return true;
    }

    public boolean isReleased() {
        return released;
    }

    LeaseWindow window() {
        return message.window();
    }
}
