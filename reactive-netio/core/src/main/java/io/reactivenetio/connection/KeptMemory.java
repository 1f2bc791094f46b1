// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.connection;

import java.util.concurrent.atomic.AtomicLong;

/**
 * How much heap memory the connections of a loop may together keep between large messages, so that the next ones need not be
 * allocated. What each connection keeps for small messages is not counted here. Any thread.
 */
public final class KeptMemory {
    private final AtomicLong kept = new AtomicLong();
    private volatile long limit;

    /** Creates a limit of {@code limit} bytes. */
    public KeptMemory(long limit) {
        this.limit = limit;
    }

    void limit(long bytes) {
        limit = bytes;
    }

    /** Whether {@code bytes} more could be kept now. */
    public boolean hasRoom(int bytes) {
        return bytes <= limit - kept.get();
    }

    /** Whether {@code bytes} more may be kept. They are counted until they are released. */
    public boolean keep(int bytes) {
        long before;
        do {
            before = kept.get();
            if (bytes > limit - before) {
                return false;
            }
        } while (!kept.compareAndSet(before, before + bytes));
        return true;
    }

    /** Returns {@code bytes} to the limit: they are in use again, or were given up. */
    public void release(int bytes) {
        kept.addAndGet(-bytes);
    }

    /** Bytes that are kept. */
    public long kept() {
        return kept.get();
    }
}
