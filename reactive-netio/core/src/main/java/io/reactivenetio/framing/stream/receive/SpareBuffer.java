// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.framing.stream.receive;

import io.reactivenetio.lease.MessageMemory;
import io.reactivenetio.receive.ReassemblyBudget;
import io.reactivenetio.wire.BufferSource;
import io.reactivenetio.wire.ProtocolException;
import java.nio.ByteBuffer;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jctools.queues.varhandle.MpscVarHandleArrayQueue;
import org.jspecify.annotations.Nullable;

/**
 * Heap buffers for messages that arrive in parts, within the loop's budget. One that nobody keeps is put by for the next message
 * of about its size, so that a stream of them makes no garbage where a decoder takes each at once, or where leases on them are
 * given back. On the loop, but for what leases give back.
 */
public final class SpareBuffer implements BufferSource, MessageMemory {
    /** Bytes; what a connection may hold on to between messages. */
    private static final int LARGEST = 1 << 20;

    private final ReassemblyBudget.Share budget;
    private @Nullable ByteBuffer spare;
    /** What leases gave back, {@link #LARGEST} bytes at most. */
    private final Queue<ByteBuffer> returned = new MpscVarHandleArrayQueue<>(16);
    private final AtomicInteger returnedBytes = new AtomicInteger();

    public SpareBuffer(ReassemblyBudget.Share budget) {
        this.budget = budget;
    }

    @Override
    public ByteBuffer allocate(int bytes, int most) throws ProtocolException {
        takeReturned(most);
        int wanted = fits(most) ? most : bytes;
        budget.take(wanted);
        ByteBuffer fitting = spare;
        if (fitting != null && fits(wanted)) {
            spare = null;
            return fitting.clear().limit(wanted);
        }
        try {
            return ByteBuffer.allocate(wanted);
        } catch (Throwable t) { // out of memory
            budget.give(wanted);
            throw t;
        }
    }

    /** One that a lease gave back becomes the spare one, unless there is one that fits. */
    private void takeReturned(int bytes) {
        ByteBuffer next;
        while (!fits(bytes) && (next = returned.poll()) != null) {
            returnedBytes.addAndGet(-next.capacity());
            spare = next;
        }
    }

    /** By the last lease on it. */
    @Override
    @SuppressWarnings("ByteBufferBackingArray") // a slice of one of ours: the whole goes back
    public void returned(ByteBuffer message) {
        byte[] array = message.array();
        int bytes = array.length;
        if (bytes > LARGEST - returnedBytes.get()) { // a guess: of several threads, each may add one
            return;
        }
        returnedBytes.addAndGet(bytes);
        ByteBuffer all = message.capacity() == bytes ? message : ByteBuffer.wrap(array);
        if (!returned.offer(all)) {
            returnedBytes.addAndGet(-bytes);
        }
    }

    private boolean fits(int bytes) {
        ByteBuffer buffer = spare;
        return buffer != null && buffer.capacity() >= bytes && buffer.capacity() / 2 <= bytes;
    }

    @Override
    public void finished(ByteBuffer buffer) {
        budget.give(buffer.limit());
    }

    @Override
    public void free(ByteBuffer buffer) {
        if (buffer.capacity() <= LARGEST) {
            spare = buffer;
        }
    }
}
