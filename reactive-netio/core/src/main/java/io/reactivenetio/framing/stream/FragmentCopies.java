// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.framing.stream;

import io.reactivenetio.connection.KeptMemory;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Memory for what is left of messages whose first parts are in pages. Between messages it is kept here, and used for the next one
 * of any stream of the connection: 1 MiB in all, and larger ones as far as the loop allows it. On the loop.
 */
final class FragmentCopies {
    private static final int MOST_KEPT = 1 << 20;
    /** Memory that is more than so many times too large is given up. */
    private static final int WASTE = 8;

    private final KeptMemory large;
    private final ArrayDeque<ByteBuffer> spares = new ArrayDeque<>();
    /** Total capacity in bytes of the spares that the loop need not allow. */
    private int bytes;
    private boolean closed;

    FragmentCopies(KeptMemory large) {
        this.large = large;
    }

    /**
     * Memory with room for {@code left} bytes of a message of {@code size}, which belongs to the caller until it is given
     * back. If so much may be kept, it has room for all of the message.
     */
    ByteBuffer take(int left, int size) {
        ByteBuffer spare = poll();
        if (spare != null && spare.capacity() >= left && spare.capacity() / WASTE <= size) {
            return spare;
        }
        return ByteBuffer.allocate(size <= MOST_KEPT || large.hasRoom(size) ? size : left);
    }

    private @Nullable ByteBuffer poll() {
        ByteBuffer spare = spares.pollLast();
        if (spare != null && spare.capacity() > MOST_KEPT) {
            large.release(spare.capacity());
        } else if (spare != null) {
            bytes -= spare.capacity();
        }
        return spare;
    }

    /** Takes memory back that nobody looks at any more. */
    void give(ByteBuffer memory) {
        if (!closed && keep(memory.capacity())) {
            spares.add(memory);
        }
    }

    private boolean keep(int capacity) {
        if (capacity > MOST_KEPT) {
            return large.keep(capacity);
        }
        if (capacity > MOST_KEPT - bytes) {
            return false;
        }
        bytes += capacity;
        return true;
    }

    /** Keeps nothing any more. */
    void close() {
        closed = true;
        while (poll() != null) {
            // gone
        }
    }
}
