// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.base;

import io.reactivenetio.memory.Slab;
import io.reactivenetio.transport.ReceivedBuffer;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/** One receive slot. Its references: 0 while home or posted, 1 and more while a message in it has owners. */
public final class ReceiveSlot implements ReceivedBuffer, Runnable {
    private static final VarHandle REFERENCES;

    static {
        try {
            REFERENCES = MethodHandles.lookup().findVarHandle(ReceiveSlot.class, "references", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final int index;
    private final int indexInBlock;
    private final Slab block;
    private final ReceivePool owner;
    private final ByteBuffer view;
    /** In the backend's hands, to be filled. Loop thread. */
    boolean taken;
    /** Whose it is where several share the pool. Loop thread. */
    @Nullable ReceiveShare share;
    private int length;

    @SuppressWarnings("unused") // through REFERENCES
    private volatile int references;

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

    /** Changes each time it comes home. */
    public int generation() {
        return block.generation(indexInBlock);
    }

    /** A message of {@code bytes} bytes arrived; the caller owns the first reference. */
    void received(int bytes) {
        taken = false;
        length = bytes;
        view.clear().limit(bytes).order(ByteOrder.LITTLE_ENDIAN);
        REFERENCES.setRelease(this, 1);
    }

    @Override
    public ByteBuffer data() {
        return view;
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
            owner.released(this);
        }
    }

    /** The way home, as a task of the loop. */
    @Override
    public void run() {
        owner.recycle(this);
    }
}
