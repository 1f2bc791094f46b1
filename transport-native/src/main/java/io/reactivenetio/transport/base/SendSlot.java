// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.base;

import io.reactivenetio.memory.Slab;
import io.reactivenetio.transport.SendBuffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * One send slot: home, lent to whoever fills it, in flight, or completed and about to be told. State and holder are guarded by
 * the pool.
 */
public final class SendSlot extends SendOperation implements SendBuffer {
    enum State { HOME, LENT, IN_FLIGHT, COMPLETED }

    private final int index;
    private final SendPool pool;
    private final ByteBuffer view;
    State state = State.HOME;
    @Nullable EndpointSends holder;
    /** A copy of somebody's message: nobody is told of its end. */
    boolean silent;
    private int length;

    SendSlot(int index, SendPool pool, ByteBuffer view) {
        this.index = index;
        this.pool = pool;
        this.view = view;
    }

    @Override
    public ByteBuffer data() {
        return view;
    }

    @Override
    public void length(int bytes) {
        if (bytes < 0 || bytes > view.capacity()) {
            throw new IllegalArgumentException("message of " + bytes + " bytes in a buffer of " + view.capacity());
        }
        length = bytes;
    }

    @Override
    public int length() {
        return length;
    }

    @Override
    public int key() {
        return index;
    }

    /** The pool's memory. */
    public Slab slab() {
        return pool.slab();
    }

    @Override
    public void release() {
        pool.released(this);
    }

    void lent(EndpointSends to) {
        state = State.LENT;
        holder = to;
        silent = false;
        length = 0;
        view.clear().order(ByteOrder.LITTLE_ENDIAN);
    }
}
