// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.send;

import java.nio.ByteBuffer;
import org.jctools.queues.varhandle.SpscGrowableVarHandleArrayQueue;
import org.jspecify.annotations.Nullable;

/** A copy of a message that waits for its turn. It is filled on the upstream's thread, and read and given back on the loop. */
public final class WaitingMessage {
    private final @Nullable SpscGrowableVarHandleArrayQueue<WaitingMessage> pool;
    private ByteBuffer data;
    private long tag;
    private int status;

    /** Goes to {@code pool} when it is used up, if there is one. */
    public WaitingMessage(int bytes, @Nullable SpscGrowableVarHandleArrayQueue<WaitingMessage> pool) {
        this.data = ByteBuffer.allocate(bytes);
        this.pool = pool;
    }

    public WaitingMessage fill(long newTag, int newStatus, ByteBuffer payload) {
        tag = newTag;
        status = newStatus;
        int length = payload.remaining();
        if (length > data.capacity()) {
            data = ByteBuffer.allocate(length);
        }
        data.clear().limit(length).put(0, payload, payload.position(), length);
        return this;
    }

    public long tag() {
        return tag;
    }

    public int status() {
        return status;
    }

    /** From its position, 0 at first, to its limit. Whoever sends it in parts moves the position. */
    public ByteBuffer data() {
        return data;
    }

    /** It can be filled again; or goes to the garbage collector, if those that can have {@code most} bytes already. */
    void recycle(long most) {
        if (pool != null && (pool.size() + 1L) * data.capacity() <= most) {
            pool.offer(this);
        }
    }
}
