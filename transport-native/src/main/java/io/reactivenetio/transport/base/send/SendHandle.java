// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.base.send;

import io.reactivenetio.transport.backend.SendBuffer;
import java.nio.ByteBuffer;

/**
 * A send slot that is lent to a borrower. Each loan has a new handle, and the slot knows the last one. So a handle that is kept
 * too long cannot be taken for the next borrower's. If the callbacks reuse handles, there is one for each slot. The borrower owns
 * the bytes until it sends or releases the buffer, on one thread at a time.
 */
final class SendHandle implements SendBuffer {
    private final SendSlot slot;

    SendHandle(SendSlot slot) {
        this.slot = slot;
    }

    SendSlot slot() {
        return slot;
    }

    private SendSlot lent() {
        if (slot.loan != this) {
            throw slot.stale();
        }
        return slot;
    }

    @Override
    public ByteBuffer data() {
        return lent().data();
    }

    @Override
    public void length(int bytes) {
        lent().length(bytes);
    }

    @Override
    public int length() {
        return lent().length();
    }

    @Override
    public int key() {
        return slot.key();
    }

    @Override
    public void release() {
        slot.release(this);
    }
}
