// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.framing.stream;

import io.reactivenetio.connection.KeptMemory;
import io.reactivenetio.lease.MessageMemory;
import io.reactivenetio.receive.ReassemblyBudget;
import io.reactivenetio.wire.BufferSource;
import io.reactivenetio.wire.ProtocolException;
import java.nio.ByteBuffer;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jctools.queues.varhandle.MpscVarHandleArrayQueue;
import org.jspecify.annotations.Nullable;

/**
 * Heap buffers for messages that arrive in parts, within the loop's budget. One that nobody keeps is put by for the next message
 * of about its size, so that a stream of them makes no garbage where a decoder takes each at once, or where leases on them are
 * given back. A large one is put by if the loop may keep so much. On the loop, but for what leases give back.
 */
final class SpareBuffer implements BufferSource, MessageMemory {
    /** Bytes; what a connection may hold on to between messages, whatever the loop keeps. */
    private static final int LARGEST = 1 << 20;

    private final ReassemblyBudget.Share budget;
    private final KeptMemory kept;
    private @Nullable ByteBuffer spare;
    /** What leases gave back, {@link #LARGEST} bytes at most. */
    private final Queue<ByteBuffer> returned = new MpscVarHandleArrayQueue<>(16);
    private final AtomicInteger returnedBytes = new AtomicInteger();
    /** A large one that leases gave back. */
    private final AtomicReference<@Nullable ByteBuffer> largeReturned = new AtomicReference<>();
    private volatile boolean closed;

    /** {@code kept}: for those that are large. */
    SpareBuffer(ReassemblyBudget.Share budget, KeptMemory kept) {
        this.budget = budget;
        this.kept = kept;
    }

    @Override
    public ByteBuffer allocate(int bytes, int most) throws ProtocolException {
        takeReturned(most);
        int wanted = fits(most) && !budget.isWaiting() ? most : bytes;
        budget.take(wanted);
        ByteBuffer fitting = spare;
        if (fitting != null && fits(wanted)) {
            putBy(null);
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
            putBy(next);
        }
        if (largeReturned.get() != null && !fits(bytes)) {
            putBy(largeReturned.getAndSet(null));
        }
    }

    /** Makes {@code next}, which is counted if it is large, the spare one. The one before is not kept any more. */
    private void putBy(@Nullable ByteBuffer next) {
        uncount(spare);
        spare = next;
    }

    private void uncount(@Nullable ByteBuffer buffer) {
        if (buffer != null && buffer.capacity() > LARGEST) {
            kept.release(buffer.capacity());
        }
    }

    /** Takes back a buffer whose last lease was released. Any thread. */
    @Override
    @SuppressWarnings("ByteBufferBackingArray") // a slice of one of ours: the whole goes back
    public void returned(ByteBuffer message) {
        byte[] array = message.array();
        int bytes = array.length;
        if (bytes > LARGEST) {
            if (!closed && kept.keep(bytes)) {
                uncount(largeReturned.getAndSet(ByteBuffer.wrap(array)));
                if (closed) { // meanwhile, and nobody else would uncount it
                    uncount(largeReturned.getAndSet(null));
                }
            }
            return;
        }
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
    public void begun(int total) {
        budget.begun(total);
    }

    @Override
    public void ended(int total) {
        budget.ended(total);
    }

    @Override
    public void finished(ByteBuffer buffer) {
        budget.give(buffer.limit());
    }

    @Override
    public void free(ByteBuffer buffer) {
        if (!closed && (buffer.capacity() <= LARGEST || kept.keep(buffer.capacity()))) {
            putBy(buffer);
        }
    }

    /** Keeps nothing any more. */
    void close() {
        closed = true;
        putBy(null);
        uncount(largeReturned.getAndSet(null));
    }
}
