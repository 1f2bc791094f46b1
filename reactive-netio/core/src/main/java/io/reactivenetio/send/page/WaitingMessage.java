// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.send.page;

import java.nio.ByteBuffer;
import org.jctools.queues.varhandle.SpscGrowableVarHandleArrayQueue;
import org.jspecify.annotations.Nullable;

/**
 * A copy of a message that waits for its turn. The upstream's thread fills it, and from then on the loop owns it, until it
 * recycles the message for the upstream's thread.
 */
public final class WaitingMessage {
    /** Memory beyond this is given up if it is more than so many times too large. */
    private static final int LARGE = RequestWindow.BYTES;
    private static final int WASTE = 8;

    private final @Nullable SpscGrowableVarHandleArrayQueue<WaitingMessage> pool;
    private ByteBuffer data;
    private long tag;
    private int status;

    /** A message with room for {@code bytes} at first. It goes to {@code pool}, if there is one, when it is recycled. */
    public WaitingMessage(int bytes, @Nullable SpscGrowableVarHandleArrayQueue<WaitingMessage> pool) {
        this.data = ByteBuffer.allocate(bytes);
        this.pool = pool;
    }

    /** Whether it may be used again for a message of {@code length} bytes, and does not hold much more memory than that. */
    boolean suits(int length) {
        return data.capacity() <= LARGE || data.capacity() / WASTE <= length;
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

    /**
     * The bytes that are not sent yet, from position to limit. The position is 0 at first; whoever sends the message in parts
     * moves it.
     */
    public ByteBuffer data() {
        return data;
    }

    /**
     * Gives the memory back: to the pool, or to the garbage collector if the pool has others, and they can have more than {@code
     * most} bytes together.
     */
    void recycle(long most) {
        if (pool != null && (pool.isEmpty() || (pool.size() + 1L) * data.capacity() <= most)) {
            pool.offer(this);
        }
    }
}
