// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.base.receive;

import io.reactivenetio.memory.Slab;
import io.reactivenetio.transport.backend.ReceivedBuffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * One receive slot. It is free, taken by the backend to be filled, or held by the owners of its message, see {@link
 * ReceiveHandle}. Loop thread, but for {@link #view} and {@link #released}, which are the owners'.
 */
public final class ReceiveSlot implements Runnable {
    private final int index;
    private final int indexInBlock;
    private final Slab block;
    private final ReceivePool owner;
    private final ByteBuffer view;
    /** Whether the backend has it, to fill it. Loop thread. */
    boolean taken;
    /** Its holder where several endpoints share the pool. Loop thread. */
    @Nullable ReceiveShare share;
    private @Nullable ReceiveHandle handle;

    ReceiveSlot(int index, int indexInBlock, Slab block, ReceivePool owner) {
        this.index = index;
        this.indexInBlock = indexInBlock;
        this.block = block;
        this.owner = owner;
        this.view = block.view(indexInBlock);
    }

    /** Which of the pool's slots it is. */
    public int index() {
        return index;
    }

    /** The block of memory it is in. */
    public Slab block() {
        return block;
    }

    public int indexInBlock() {
        return indexInBlock;
    }

    /** Where it is in memory. */
    public long address() {
        return block.address(indexInBlock);
    }

    /** Changes each time the slot becomes free. */
    public int generation() {
        return block.generation(indexInBlock);
    }

    /**
     * A message of {@code bytes} bytes arrived; the caller owns the first reference. {@code fresh}: with a new handle, which
     * nobody can have kept.
     */
    public ReceivedBuffer received(int bytes, boolean fresh) {
        taken = false;
        view.clear().limit(bytes).order(ByteOrder.LITTLE_ENDIAN);
        ReceiveHandle message = handle;
        if (fresh || message == null) {
            message = new ReceiveHandle(this);
            handle = message;
        }
        message.begin(bytes);
        return message;
    }

    /** Any thread. */
    ByteBuffer view() {
        return view;
    }

    /** The last owner is gone. Any thread. */
    void released() {
        owner.released(this);
    }

    /** Frees the slot, as a task of the loop. */
    @Override
    public void run() {
        owner.recycle(this);
    }
}
