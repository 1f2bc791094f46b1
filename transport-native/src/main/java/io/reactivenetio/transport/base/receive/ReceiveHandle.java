// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.base.receive;

import io.reactivenetio.transport.backend.ReceivedBuffer;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;

/**
 * A message in a receive slot, and the count of its references. The count is 1 or more while the message has owners, and then 0
 * for good: the next message in the slot has a handle of its own. If the callbacks reuse handles, there is one for each slot.
 * Any thread.
 */
final class ReceiveHandle implements ReceivedBuffer {
    private static final VarHandle REFERENCES;

    static {
        try {
            REFERENCES = MethodHandles.lookup().findVarHandle(ReceiveHandle.class, "references", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final ReceiveSlot slot;
    private int length;

    @SuppressWarnings("unused") // through REFERENCES
    private volatile int references;

    ReceiveHandle(ReceiveSlot slot) {
        this.slot = slot;
    }

    /** A message of {@code bytes} bytes arrived; the caller owns the first reference. */
    void begin(int bytes) {
        length = bytes;
        REFERENCES.setRelease(this, 1);
    }

    @Override
    public ByteBuffer data() {
        if ((int) REFERENCES.getAcquire(this) <= 0) {
            throw new IllegalStateException("data of a receive buffer that has been released");
        }
        return slot.view();
    }

    @Override
    public int length() {
        return length;
    }

    @Override
    public void retain() {
        int before = (int) REFERENCES.getAndAdd(this, 1);
        if (before <= 0) {
            REFERENCES.getAndAdd(this, -1);
            throw new IllegalStateException("retain of a receive buffer that has been released");
        }
    }

    @Override
    public void release() {
        int before = (int) REFERENCES.getAndAdd(this, -1);
        if (before <= 0) {
            REFERENCES.getAndAdd(this, 1);
            throw new IllegalStateException("receive buffer released twice");
        }
        if (before == 1) {
            slot.released();
        }
    }
}
