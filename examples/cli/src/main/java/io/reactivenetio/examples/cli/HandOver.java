// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.cli;

import java.nio.ByteBuffer;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The few buffers in which messages travel from the loop to the writing thread, used again and again. Demand bounds their
 * number: no more messages are on the way than publishOn asks for in advance.
 */
final class HandOver {
    private static final int MOST_MESSAGES = 8;
    private static final int MOST_BYTES = 4 << 20;

    private final int messages;
    private final ArrayBlockingQueue<ByteBuffer> free;
    private final AtomicLong bytes = new AtomicLong();
    private final AtomicLong maxBytes = new AtomicLong();

    HandOver(int bufferSize, int buffers) {
        this.messages = Math.max(1, Math.min(MOST_BYTES / bufferSize, Math.min(MOST_MESSAGES, buffers)));
        this.free = new ArrayBlockingQueue<>(messages);
    }

    /** How many messages may be on the way at once. */
    int messages() {
        return messages;
    }

    /** On the loop: a copy of a message that is still in its receive buffer. */
    ByteBuffer copy(ByteBuffer message) {
        long now = bytes.addAndGet(message.remaining());
        if (now > maxBytes.get()) {
            maxBytes.lazySet(now);
        }
        ByteBuffer used = free.poll();
        boolean fits = used != null && used.capacity() >= message.remaining();
        return (fits ? used.clear() : ByteBuffer.allocate(message.remaining())).put(message).flip();
    }

    /** On the writing thread: a copy and its length are no longer needed. */
    void giveBack(ByteBuffer copy, int length) {
        bytes.addAndGet(-length);
        free.offer(copy);
    }

    /** The most that was on the way at once. */
    long maxBytes() {
        return maxBytes.get();
    }
}
