// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.base;

import io.reactivenetio.transport.SendBuffer;
import java.nio.ByteBuffer;

/**
 * A send slot in the hands of a borrower. It is a new one for each loan, and its slot knows the last: so one that is kept too
 * long cannot be taken for the next borrower's. Where the owner of the backend vouches for himself there is one for the life of
 * the slot.
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
        if (slot.handle != this) {
            throw stale();
        }
        return slot;
    }

    IllegalStateException stale() {
        return new IllegalStateException("send buffer " + slot.key() + " was sent or released before: it is not this borrower's"
                + " any more, get another one");
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
