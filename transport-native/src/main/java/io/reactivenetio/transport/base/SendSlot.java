// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.base;

import io.reactivenetio.memory.Slab;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * One send slot. It is free, lent to be filled, in flight, or completed with its callback still to come. The pool's lock guards
 * state and holder.
 */
public final class SendSlot extends SendOperation {
    enum State { FREE, LENT, IN_FLIGHT, COMPLETED }

    private final int index;
    private final SendPool pool;
    private final ByteBuffer view;
    State state = State.FREE;
    @Nullable EndpointSends holder;
    /** The handle of the last borrower. */
    @Nullable SendHandle handle;
    /** Whether it has a copy of somebody's message, of whose end nobody is told. */
    boolean silent;
    private int length;

    SendSlot(int index, SendPool pool, ByteBuffer view) {
        this.index = index;
        this.pool = pool;
        this.view = view;
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
        return pool.slab();
    }

    void release(SendHandle by) {
        pool.released(this, by);
    }

    /** {@code fresh}: with a new handle, which nobody can have kept. */
    SendHandle lent(EndpointSends to, boolean fresh) {
        SendHandle loan = handle;
        if (fresh || loan == null) {
            loan = new SendHandle(this);
            handle = loan;
        }
        state = State.LENT;
        holder = to;
        silent = false;
        length = 0;
        view.clear().order(ByteOrder.LITTLE_ENDIAN);
        return loan;
    }
}
