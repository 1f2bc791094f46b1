// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.lease;

import io.reactivenetio.transport.ReceivedBuffer;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A message for as long as there are leases on it. It counts them itself, and is never used again: a late retain cannot get hold
 * of the message that came into the same receive buffer afterwards. Any thread.
 */
final class LeasedMessage {
    private static final VarHandle REFERENCES;

    static {
        try {
            REFERENCES = MethodHandles.lookup().findVarHandle(LeasedMessage.class, "references", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final LeaseWindow window;
    private final ByteBuffer memory;
    private final @Nullable ReceivedBuffer slot;
    private final long tag;
    private final int status;

    @SuppressWarnings("unused") // through REFERENCES
    private volatile int references = 1;

    /** {@code message} where it lies, in {@code slot}. The caller has the first reference. */
    LeasedMessage(LeaseWindow window, ReceivedBuffer message, ReceivedBuffer slot) {
        this(window, message, message instanceof PageMessage page ? page.inPlace() : message.data(), slot);
    }

    /** {@code copy} of {@code message}, from position 0 to limit. */
    LeasedMessage(LeaseWindow window, ReceivedBuffer message, ByteBuffer copy) {
        this(window, message, copy, null);
    }

    private LeasedMessage(LeaseWindow window, ReceivedBuffer message, ByteBuffer memory, @Nullable ReceivedBuffer slot) {
        this.window = window;
        this.memory = memory;
        this.slot = slot;
        this.tag = message instanceof TaggedBuffer tagged ? tagged.tag() : 0;
        this.status = message instanceof TaggedBuffer tagged ? tagged.status() : 0;
    }

    LeaseWindow window() {
        return window;
    }

    long tag() {
        return tag;
    }

    int status() {
        return status;
    }

    /** Nobody moves its position or limit while there is a reference. */
    ByteBuffer memory() {
        return memory;
    }

    /** False if it has gone back. */
    boolean retain() {
        int now = references;
        while (now > 0) {
            int seen = (int) REFERENCES.compareAndExchange(this, now, now + 1);
            if (seen == now) {
                return true;
            }
            now = seen;
        }
        return false;
    }

    /** Once for each reference: {@link LeaseState} sees to that. */
    void release() {
        if ((int) REFERENCES.getAndAdd(this, -1) == 1) {
            window.ended(slot);
        }
    }
}
