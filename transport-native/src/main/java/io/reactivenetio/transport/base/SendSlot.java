// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.base;

import io.reactivenetio.transport.SendBuffer;
import java.nio.ByteBuffer;

/** One send slot: home, lent to whoever fills it, or in flight. */
public final class SendSlot implements SendBuffer {
    enum State { HOME, LENT, IN_FLIGHT }

    private final int index;
    State state = State.HOME;
    private final SendPool owner;
    private final ByteBuffer view;
    private int length;

    SendSlot(int index, SendPool owner, ByteBuffer view) {
        this.index = index;
        this.owner = owner;
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

    @Override
    public void release() {
        owner.released(this);
    }

    boolean belongsTo(SendPool pool) {
        return owner == pool;
    }
}
