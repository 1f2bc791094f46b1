// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.tcp;

import io.reactivenetio.ffm.IoVector;
import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.loop.LoopIo;
import io.reactivenetio.memory.Slab;
import io.reactivenetio.transport.SendCompletion;
import io.reactivenetio.transport.base.send.GatherSlot;
import io.reactivenetio.transport.base.send.SendOperation;
import io.reactivenetio.transport.base.send.SendSlot;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Writes send buffers in order, each with its length in the headroom before it. All sends of one turn of the loop leave in one
 * system call, at the end of the turn. Bytes that the kernel does not take wait until it does. Confined to the loop.
 */
final class MessageWriter implements LoopIo.Completion, Runnable {
    /** Keeps the buffers aligned behind the four bytes of the length. */
    static final int HEADROOM = 16;

    private static final int HEADER = Integer.BYTES;
    private static final int MOST_AT_ONCE = 256;
    /** A zero-copy message has more entries than one. */
    private static final int FEWEST_AT_ONCE = 32;
    private static final long MOST_BYTES_AT_ONCE = 256 * 1024;
    /** After how many writes the other connections have their turn. */
    private static final int WRITES_PER_TURN = 4;
    private static final ValueLayout.OfInt LENGTH = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    /** The connection. */
    interface Owner extends DeliveryQueue.Owner {
        boolean isClosed();

        /** Nothing more can be written. */
        void writeFailed(int errno);
    }

    private final Owner owner;
    private final DeliveryQueue deliveries;
    private final EventLoop loop;
    private final IoVector vector;
    /** The messages to be written, in a ring. The first may be written in part. */
    private final SendOperation[] waiting;
    private int head;
    private int size;
    /** Bytes of the first, length included, that are written. */
    private long headWritten;
    private LoopIo.@Nullable Handle io;
    private boolean outstanding;
    private boolean failed;
    private boolean scheduled;
    private long turn;
    private int writesInTurn;
    /** The entries of the vector that are set. */
    private int entries;

    /** {@code most} messages wait at a time. */
    MessageWriter(Owner owner, int most, DeliveryQueue deliveries, EventLoop loop) {
        this.owner = owner;
        this.deliveries = deliveries;
        this.loop = loop;
        this.vector = new IoVector(Math.clamp(most, FEWEST_AT_ONCE, MOST_AT_ONCE));
        this.waiting = new SendOperation[Math.max(1, most)];
    }

    void start(LoopIo.Handle handle) {
        io = handle;
        schedule();
    }

    /** Takes a message over. */
    void enqueue(SendOperation message) {
        switch (message) {
            case SendSlot slot -> setLength(slot.slab(), slot.key(), slot.length());
            case GatherSlot slot -> setLength(slot.headers(), slot.index(), slot.bytes());
        }
        waiting[index(size)] = message;
        size++;
        schedule();
    }

    private static void setLength(Slab memory, int slot, int bytes) {
        memory.memory().set(LENGTH, memory.offset(slot) - HEADER, bytes);
    }

    private static long bytes(SendOperation message) {
        return HEADER + (long) (message instanceof SendSlot slot ? slot.length() : ((GatherSlot) message).bytes());
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
        if (handle == null || outstanding || failed || size == 0 || owner.isClosed()) {
            return;
        }
        long now = loop.statistics().turns();
        writesInTurn = turn == now ? writesInTurn + 1 : 1;
        turn = now;
        entries = 0;
        long bytes = 0;
        for (int i = 0; i < size && entries < vector.capacity() && bytes < MOST_BYTES_AT_ONCE; i++) {
            bytes += add(waiting[index(i)], i == 0 ? headWritten : 0);
        }
        outstanding = true;
        handle.write(vector.segment(), entries, bytes, this);
    }

    /** Adds what is left of a message after {@code skip} bytes to the vector, as far as it has room; how many bytes those are. */
    private long add(SendOperation message, long skip) {
        if (message instanceof SendSlot slot) {
            return add(slot.slab().address(slot.key()) - HEADER, (long) HEADER + slot.length(), skip);
        }
        GatherSlot slot = (GatherSlot) message;
        long headed = (long) HEADER + slot.headerLength();
        long bytes = add(slot.headerAddress() - HEADER, headed, skip);
        long passed = headed;
        for (int i = 0; i < slot.spans() && entries < vector.capacity(); i++) {
            bytes += add(slot.address(i), slot.length(i), skip - passed);
            passed += slot.length(i);
        }
        return bytes;
    }

    private long add(long address, long length, long skip) {
        if (skip >= length) {
            return 0;
        }
        long skipped = Math.max(0, skip);
        vector.set(entries++, address + skipped, length - skipped);
        return length - skipped;
    }

    @Override
    public void completed(long result) {
        outstanding = false;
        if (result < 0) {
            failed = true;
            owner.writeFailed((int) -result);
            return;
        }
        deliveries.written(result);
        long left = result;
        while (size > 0) {
            SendOperation message = waiting[head];
            long missing = bytes(message) - headWritten;
            if (left < missing) {
                headWritten += left;
                break;
            }
            left -= missing;
            headWritten = 0;
            head = index(1);
            size--;
            if (message.level() == SendCompletion.DELIVERED) {
                deliveries.add(message, left);
            } else {
                owner.sent(message);
            }
        }
        deliveries.check();
        owner.batchSent();
        schedule();
    }

    void close() {
        io = null;
    }
}
