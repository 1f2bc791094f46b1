// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.tls;

import io.reactivenetio.transport.backend.SendBuffer;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A send buffer that is lent to the connection: memory for the message, and the backend's buffer that it will be sealed into. Its
 * key is the slot that the memory is in, which is free again when the send has completed.
 */
final class PlainBuffer implements SendBuffer {
    private final SealedSends owner;
    private final int slot;
    private final ByteBuffer data;
    /** Null once it has been sent or released. */
    private @Nullable SendBuffer sealed;
    private int length;

    PlainBuffer(SealedSends owner, int slot, ByteBuffer data, SendBuffer sealed) {
        this.owner = owner;
        this.slot = slot;
        this.data = data;
        this.sealed = sealed;
    }

    private SendBuffer loan() {
        SendBuffer loan = sealed;
        if (loan == null) {
            throw new IllegalStateException("a send buffer that has been sent or released");
        }
        return loan;
    }

    boolean isOf(SealedSends sends) {
        return owner == sends && sealed != null;
    }

    /** Ends the loan. */
    SendBuffer take() {
        SendBuffer loan = loan();
        sealed = null;
        return loan;
    }

    @Override
    public ByteBuffer data() {
        loan();
        return data;
    }

    @Override
    public void length(int bytes) {
        loan();
        if (bytes < 0 || bytes > data.capacity()) {
            throw new IllegalArgumentException("a message of " + bytes + " bytes in a buffer of " + data.capacity());
        }
        length = bytes;
    }

    @Override
    public int length() {
        loan();
        return length;
    }

    @Override
    public int key() {
        return slot;
    }

    @Override
    public void release() {
        owner.released(slot, take());
    }
}
