// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.asyncmsg;

import io.reactivenetio.ffm.IoVector;
import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.loop.LoopIo;
import io.reactivenetio.memory.Slab;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Writes send buffers in order, each with its length in the headroom before it. What one turn of the loop sends leaves in one
 * system call, at the turn's end; what the kernel does not take waits until it does. Confined to the loop.
 */
final class MessageWriter implements LoopIo.Completion, Runnable {
    /** Keeps the buffers aligned behind the four bytes of the length. */
    static final int HEADROOM = 16;

    private static final int HEADER = Integer.BYTES;
    private static final int MOST_AT_ONCE = 256;
    private static final long MOST_BYTES_AT_ONCE = 256 * 1024;
    /** Then the other connections have their turn. */
    private static final int WRITES_PER_TURN = 4;
    private static final ValueLayout.OfInt LENGTH = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final TcpEndpoint endpoint;
    private final Slab slab;
    private final DeliveryQueue deliveries;
    private final EventLoop loop;
    private final IoVector vector;
    /** Keys waiting to be written, in a ring; the first may be written in part. */
    private final int[] waiting;
    private final int[] lengths;
    private final boolean[] vouching;
    private int head;
    private int size;
    /** Bytes of the first, header included, that are written. */
    private int headWritten;
    private LoopIo.@Nullable Handle io;
    private boolean outstanding;
    private boolean failed;
    private boolean scheduled;
    private long turn;
    private int writesInTurn;

    MessageWriter(TcpEndpoint endpoint, Slab slab, DeliveryQueue deliveries, EventLoop loop) {
        this.endpoint = endpoint;
        this.slab = slab;
        this.deliveries = deliveries;
        this.loop = loop;
        this.vector = new IoVector(Math.min(slab.slots(), MOST_AT_ONCE));
        this.waiting = new int[slab.slots()];
        this.lengths = new int[slab.slots()];
        this.vouching = new boolean[slab.slots()];
    }

    void start(LoopIo.Handle handle) {
        io = handle;
        schedule();
    }

    /** Takes over the slot {@code key} with a message of {@code length} bytes; {@code vouches} asks for its acknowledgement. */
    void enqueue(int key, int length, boolean vouches) {
        slab.memory().set(LENGTH, slab.offset(key) - HEADER, length);
        lengths[key] = length;
        vouching[key] = vouches;
        waiting[index(size)] = key;
        size++;
        schedule();
    }

    private int index(int fromHead) {
        int index = head + fromHead;
        return index < waiting.length ? index : index - waiting.length;
    }

    private void schedule() {
        if (scheduled || outstanding || failed || size == 0) {
            return;
        }
        scheduled = true;
        if (turn == loop.statistics().turns() && writesInTurn >= WRITES_PER_TURN) {
            nextTurn();
        } else {
            loop.atEndOfTurn(this);
        }
    }

    private void nextTurn() {
        try {
            loop.execute(this);
        } catch (RejectedExecutionException terminating) {
            failed = true; // there is no next turn: what waits is cancelled when the loop closes the backend
        }
    }

    @Override
    public void run() {
        scheduled = false;
        LoopIo.Handle handle = io;
        if (handle == null || outstanding || failed || size == 0 || endpoint.isClosed()) {
            return;
        }
        long now = loop.statistics().turns();
        writesInTurn = turn == now ? writesInTurn + 1 : 1;
        turn = now;
        int count = 0;
        long bytes = 0;
        while (count < size && count < vector.capacity() && (count == 0 || bytes < MOST_BYTES_AT_ONCE)) {
            int key = waiting[index(count)];
            int skipped = count == 0 ? headWritten : 0;
            long left = (long) HEADER + lengths[key] - skipped;
            vector.set(count, slab.address(key) - HEADER + skipped, left);
            bytes += left;
            count++;
        }
        outstanding = true;
        handle.write(vector.segment(), count, bytes, this);
    }

    @Override
    public void completed(long result) {
        outstanding = false;
        if (result < 0) {
            failed = true;
            endpoint.writeFailed((int) -result);
            return;
        }
        deliveries.written(result);
        long left = result;
        while (size > 0) {
            int key = waiting[head];
            long missing = (long) HEADER + lengths[key] - headWritten;
            if (left < missing) {
                headWritten += (int) left;
                break;
            }
            left -= missing;
            headWritten = 0;
            head = index(1);
            size--;
            if (vouching[key]) {
                deliveries.add(key, left);
            } else {
                endpoint.sent(key);
            }
        }
        deliveries.check();
        endpoint.batchSent();
        schedule();
    }

    void close() {
        io = null;
    }
}
