// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.base.send;

import io.reactivenetio.memory.FairShare;
import io.reactivenetio.memory.Slab;
import io.reactivenetio.transport.backend.SendBuffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * One send slot. It is free, lent to be filled, in flight, or completed with its callback still to come. While it is lent, its
 * borrower may write to it, on one thread at a time. While it is in flight, the backend may read it. The pool's lock guards
 * state, holder and loan.
 */
public final class SendSlot extends SendOperation {
    enum State { FREE, LENT, IN_FLIGHT, COMPLETED }

    /** The pool. */
    interface Lender {
        /** A lent slot is given back unsent, through the handle {@code by}. Any thread. */
        void released(SendSlot slot, SendBuffer by);
    }

    private final int index;
    private final Lender lender;
    private final Slab slab;
    private final ByteBuffer view;
    State state = State.FREE;
    /** The endpoint that it is lent to, or that has it in flight. */
    FairShare.@Nullable Member holder;
    /** The handle of the last borrower. */
    @Nullable SendBuffer loan;
    /** Whether it has a copy of somebody's message, of whose end nobody is told. */
    boolean silent;
    private int length;

    SendSlot(int index, Lender lender, Slab slab) {
        this.index = index;
        this.lender = lender;
        this.slab = slab;
        this.view = slab.view(index);
    }

    ByteBuffer data() {
        return view;
    }

    void length(int bytes) {
        if (bytes < 0 || bytes > view.capacity()) {
            throw new IllegalArgumentException("message of " + bytes + " bytes in a buffer of " + view.capacity());
        }
        length = bytes;
    }

    /** Bytes in the message. */
    public int length() {
        return length;
    }

    /** Its index in the pool. */
    public int key() {
        return index;
    }

    /** The pool's memory. */
    public Slab slab() {
        return slab;
    }

    void release(SendBuffer by) {
        lender.released(this, by);
    }

    /** What a borrower is told who has kept a handle for too long. */
    IllegalStateException stale() {
        return new IllegalStateException("send buffer " + index + " was sent or released before: it is not this borrower's"
                + " any more, get another one");
    }

    /** Is lent to {@code to}, through {@code handle}. */
    void lend(FairShare.Member to, SendBuffer handle) {
        loan = handle;
        state = State.LENT;
        holder = to;
        silent = false;
        length = 0;
        view.clear().order(ByteOrder.LITTLE_ENDIAN);
    }
}
