// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.flow;

import java.nio.ByteBuffer;
import org.jctools.queues.varhandle.SpmcVarHandleArrayQueue;
import org.jspecify.annotations.Nullable;

/** A copy of a message that waits for room in a page. It is filled on the upstream's thread and used up on the loop. */
final class WaitingMessage {
    private final @Nullable SpmcVarHandleArrayQueue<WaitingMessage> pool;
    private ByteBuffer data;
    private int length;
    private long tag;
    private int status;

    /** Goes to {@code pool} when it is used up, if there is one. */
    WaitingMessage(int bytes, @Nullable SpmcVarHandleArrayQueue<WaitingMessage> pool) {
        this.data = ByteBuffer.allocate(bytes);
        this.pool = pool;
    }

    WaitingMessage fill(long newTag, int newStatus, ByteBuffer payload) {
        tag = newTag;
        status = newStatus;
        length = payload.remaining();
        if (length > data.capacity()) {
            data = ByteBuffer.allocate(length);
        }
        data.put(0, payload, payload.position(), length);
        return this;
    }

    long tag() {
        return tag;
    }

    int status() {
        return status;
    }

    int length() {
        return length;
    }

    /** From index 0. */
    ByteBuffer data() {
        return data;
    }

    /** It can be filled again; or goes to the garbage collector, if those that can have {@code most} bytes already. */
    void recycle(long most) {
        if (pool != null && (pool.size() + 1L) * data.capacity() <= most) {
            pool.offer(this);
        }
    }
}
