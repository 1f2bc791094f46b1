// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.tcp;

import io.reactivenetio.ffm.IoVector;
import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.loop.LoopIo;
import io.reactivenetio.memory.Block;
import io.reactivenetio.memory.Slab;
import io.reactivenetio.transport.backend.Endpoint;
import io.reactivenetio.transport.backend.OtherProtocol;
import io.reactivenetio.transport.base.receive.ReceivePool;
import io.reactivenetio.transport.base.receive.ReceiveShare;
import io.reactivenetio.transport.base.receive.ReceiveSlot;
import io.reactivenetio.transport.exceptions.NetioException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Cuts the incoming bytes into messages. One read serves many small messages, which are copied from a fixed chunk into receive
 * buffers; the rest of a message that has begun is read straight into its buffer, and what follows it into the chunk. The
 * socket is not read while no buffer is free. Confined to the loop.
 */
final class MessageReader implements LoopIo.Completion, Runnable {
    private static final int CHUNK = 64 * 1024;
    /** Where connections share their buffers, so as to be many. */
    private static final int SMALL_CHUNK = 4 * 1024;
    /** From this length on messages are better read into place than copied: then little is read behind them. */
    private static final int LARGE = 8 * 1024;
    private static final int LOOK_AHEAD = 4 * 1024;
    /** A chunk holds 13,000 messages of a byte, and timers and the other connections wait for their callbacks. */
    private static final int MESSAGES_PER_TURN = 256;
    /**
     * A connection whose messages have taken this long is not read again in this turn: what leaves at its end, as demand and
     * credits do, must not wait for all that there is.
     */
    private static final long TURN_NANOS = 100_000;
    private static final int HEADER = Integer.BYTES;
    private static final ValueLayout.OfInt LENGTH = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    /** The connection. */
    interface Owner {
        Endpoint handle();

        boolean isClosed();

        /** A whole message of {@code length} bytes is in {@code slot}, which the owner takes over. */
        void received(ReceiveSlot slot, int length);

        /**
         * A message has begun that is larger than any buffer. {@code announced} is as on the wire, perhaps negative.
         * {@code bytes} are what has been read from there on.
         */
        void tooLarge(int announced, ByteBuffer bytes);

        /** The connection begins with what is no message, see {@link OtherProtocol}. */
        void otherProtocol(ByteBuffer bytes);

        /** A message has begun, and none of the shared buffers may be taken for it yet. */
        void waitsForBuffer();

        /** Called after what one read has brought. */
        void batchReceived();

        /** Nothing more can be read: the peer's end, or with {@code problem} why not. */
        void readEnded(@Nullable NetioException problem);
    }

    private final Owner owner;
    private final ReceivePool pool;
    private final @Nullable ReceiveShare share;
    private final EventLoop loop;
    private final Block block;
    private final int chunkSize;
    private final MemorySegment chunk;
    private final IoVector vector = new IoVector(2);
    private LoopIo.@Nullable Handle io;
    /** The part of the chunk that was read and not taken out yet. */
    private int begin;
    private int end;
    private @Nullable ReceiveSlot current;
    /** The length of the current message, or the last one. */
    private int length;
    private int filled;
    private boolean first = true;
    /** Whether it waits for one of the shared buffers, because others come first. */
    private boolean waiting;
    /** When the current message was begun, if it has to be waited for. */
    private long begun;
    private boolean starved;
    private boolean scheduled;
    private long turn = -1;
    /** When the first read that left some behind was taken, in the turn with this number. */
    private long watchedNanos;
    private long watchedTurn = -1;
    /** How many bytes the last read was to bring at most. */
    private long asked;
    private int leftInTurn;
    /** In two steps: a task that is added while tasks run still runs in this turn. */
    private final Runnable nextTurn = this::nextTurn;

    /** {@code share}: its part of the pool, if others have parts too. */
    MessageReader(Owner owner, ReceivePool pool, @Nullable ReceiveShare share, EventLoop loop) {
        this.owner = owner;
        this.pool = pool;
        this.share = share;
        this.chunkSize = share == null ? CHUNK : SMALL_CHUNK;
        this.block = Block.of(chunkSize);
        this.chunk = block.memory();
        this.loop = loop;
    }

    /** {@code before}: what was read before this reader was there, less than a chunk; null for nothing. */
    void start(LoopIo.Handle handle, @Nullable ByteBuffer before) {
        io = handle;
        if (before != null) {
            end = before.remaining();
            chunk.asSlice(0, end).copyFrom(MemorySegment.ofBuffer(before));
            first = false;
        }
        advance(false);
    }

    /** A buffer is free again. Reading goes on at the end of the turn: nothing is delivered from within a release. */
    void resume() {
        if (starved && !scheduled) {
            scheduled = true;
            loop.atEndOfTurn(this);
        }
    }

    @Override
    public void run() {
        scheduled = false;
        advance(false);
    }

    /** Buffers that are being filled. */
    int taken() {
        return current == null ? 0 : 1;
    }

    /** How many bytes of a message have been read that is not whole yet. */
    int arrivedInPart() {
        return current == null ? end - begin : HEADER + filled;
    }

    @Override
    public void completed(long result) {
        if (result < 0) {
            owner.readEnded(TcpSocket.failure(owner.handle(), (int) -result));
        } else if (result == 0) {
            owner.readEnded(current == null && begin == end ? null : new NetioException(owner.handle()
                    + " was closed by the peer in the middle of a message"));
        } else {
            int direct = current == null ? 0 : (int) Math.min(result, length - filled);
            filled += direct;
            end += (int) result - direct;
            if (first) {
                first = false;
                if (OtherProtocol.isLibfabric(unread())) { // as lengths its bytes are small: they would be taken for messages
                    owner.otherProtocol(unread());
                }
            }
            boolean more = result >= asked;
            if (more && watchedTurn != loop.statistics().turns()) {
                watchedTurn = loop.statistics().turns();
                watchedNanos = loop.nanoTime();
            }
            advance(more);
            owner.batchReceived();
        }
    }

    /**
     * Delivers what is complete as far as there are buffers and this turn allows, then reads on; at the end of the turn if
     * there is {@code more}, and these have taken long.
     */
    private void advance(boolean more) {
        starved = false;
        long now = loop.statistics().turns();
        if (turn != now) {
            turn = now;
            leftInTurn = MESSAGES_PER_TURN;
        }
        while (leftInTurn > 0 && !owner.isClosed() && takeMessage()) {
            leftInTurn--;
        }
        LoopIo.Handle handle = io;
        if (owner.isClosed() || handle == null) {
            return;
        }
        if (leftInTurn == 0) {
            scheduled = true;
            loop.atEndOfTurn(nextTurn);
        } else if (more && loop.nanoTime() - watchedNanos > TURN_NANOS) {
            scheduled = true;
            loop.atEndOfTurn(this);
        } else if (current == null && (waiting || share == null && pool.available() == 0)) {
            starved = true;
        } else {
            read(handle);
        }
    }

    /** Unread messages may be in the chunk, for which epoll has no event: nothing else would read on. */
    private void nextTurn() {
        try {
            loop.execute(this);
        } catch (RejectedExecutionException terminating) {
            io = null; // there is no next turn: the loop closes the connection
        }
    }

    /** Moves bytes from the chunk to the current message; true if that completed it, false if more, or a buffer, is needed. */
    private boolean takeMessage() {
        ReceiveSlot slot = current;
        if (slot == null) {
            slot = end - begin < HEADER ? null : beginMessage();
            if (slot == null) {
                return false;
            }
        }
        int bytes = Math.min(length - filled, end - begin);
        Slab block = slot.block();
        MemorySegment.copy(chunk, begin, block.memory(), block.offset(slot.indexInBlock()) + filled, bytes);
        begin += bytes;
        filled += bytes;
        if (filled < length) {
            return false;
        }
        current = null;
        owner.received(slot, length);
        return true;
    }

    private @Nullable ReceiveSlot beginMessage() {
        int announced = chunk.get(LENGTH, begin);
        if (announced < 0 || announced > pool.slotSize()) {
            owner.tooLarge(announced, unread());
            return null;
        }
        ReceiveSlot slot = take();
        if (slot != null) {
            current = slot;
            length = announced;
            filled = 0;
            begin += HEADER;
        }
        return slot;
    }

    private ByteBuffer unread() {
        return chunk.asSlice(begin, (long) end - begin).asByteBuffer();
    }

    private @Nullable ReceiveSlot take() {
        ReceiveShare part = share;
        if (part == null) {
            return pool.take();
        }
        ReceiveSlot slot = pool.take(part);
        waiting = slot == null;
        if (slot == null) {
            owner.waitsForBuffer();
        } else {
            begun = 0;
        }
        return slot;
    }

    /** It may take one of the buffers that it shares. */
    void onTurn() {
        waiting = false;
        resume();
    }

    boolean isWaiting() {
        return waiting;
    }

    /** Whether it has had one of the shared buffers for longer than {@code nanos} without getting the whole message. */
    boolean stalls(long nanos) {
        return current != null && begun != 0 && System.nanoTime() - begun > nanos;
    }

    private void read(LoopIo.Handle handle) {
        // All that can be left in the chunk is a part of a header: a message that has begun takes everything.
        MemorySegment.copy(chunk, begin, chunk, 0, end - begin);
        end -= begin;
        begin = 0;
        int ahead = length >= LARGE ? LOOK_AHEAD : chunkSize;
        ReceiveSlot slot = current;
        if (slot == null) {
            asked = (long) ahead - end;
            vector.set(0, chunk.address() + end, asked);
            handle.read(vector.segment(), 1, asked, this);
        } else {
            if (share != null && begun == 0) {
                begun = System.nanoTime() | 1;
            }
            asked = (long) length - filled + ahead;
            vector.set(0, slot.address() + filled, length - filled);
            vector.set(1, chunk.address(), ahead);
            handle.read(vector.segment(), 2, asked, this);
        }
    }

    void close() {
        io = null;
        ReceiveSlot slot = current;
        if (slot != null) {
            current = null;
            pool.putBack(slot);
        }
        block.giveBack(chunkSize);
    }
}
