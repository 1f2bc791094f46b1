// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.asyncmsg;

import io.reactivenetio.ffm.IoVector;
import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.loop.LoopIo;
import io.reactivenetio.memory.Slab;
import io.reactivenetio.transport.Addresses;
import io.reactivenetio.transport.MessageTooLargeException;
import io.reactivenetio.transport.NetioException;
import io.reactivenetio.transport.base.ReceivePool;
import io.reactivenetio.transport.base.ReceiveSlot;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * Cuts the incoming bytes into messages. One read serves many small messages, which are copied from a fixed chunk into receive
 * buffers; the rest of a message that has begun is read straight into its buffer, and what follows it into the chunk. The
 * socket is not read while no buffer is free. Confined to the loop.
 */
final class MessageReader implements LoopIo.Completion, Runnable {
    private static final int CHUNK = 64 * 1024;
    /** From this length on messages are better read into place than copied: then little is read behind them. */
    private static final int LARGE = 8 * 1024;
    private static final int LOOK_AHEAD = 4 * 1024;
    private static final int HEADER = Integer.BYTES;
    private static final ValueLayout.OfInt LENGTH = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final TcpEndpoint endpoint;
    private final ReceivePool pool;
    private final Slab slab;
    private final EventLoop loop;
    private final MemorySegment chunk = Arena.ofAuto().allocate(CHUNK, 64);
    private final IoVector vector = new IoVector(2);
    private LoopIo.@Nullable Handle io;
    /** What was read into the chunk and not taken out yet. */
    private int begin;
    private int end;
    private @Nullable ReceiveSlot current;
    /** Of the current message, or the last one. */
    private int length;
    private int filled;
    private boolean starved;
    private boolean scheduled;

    MessageReader(TcpEndpoint endpoint, ReceivePool pool, EventLoop loop) {
        this.endpoint = endpoint;
        this.pool = pool;
        this.slab = pool.slab();
        this.loop = loop;
    }

    void start(LoopIo.Handle handle) {
        io = handle;
        advance();
    }

    /** A buffer came home. Deferred to the end of the turn: nothing is delivered from within a release. */
    void resume() {
        if (starved && !scheduled) {
            scheduled = true;
            loop.atEndOfTurn(this);
        }
    }

    @Override
    public void run() {
        scheduled = false;
        advance();
    }

    /** Buffers that are being filled. */
    int taken() {
        return current == null ? 0 : 1;
    }

    @Override
    public void completed(long result) {
        if (result < 0) {
            endpoint.readEnded(AsyncmsgBackend.failure(endpoint.handle(), (int) -result));
        } else if (result == 0) {
            endpoint.readEnded(current == null && begin == end ? null : new NetioException(endpoint.handle()
                    + " was closed by the peer in the middle of a message"));
        } else {
            int direct = current == null ? 0 : (int) Math.min(result, length - filled);
            filled += direct;
            end += (int) result - direct;
            advance();
            endpoint.batchReceived();
        }
    }

    /** Delivers what is complete as far as there are buffers, then reads on. */
    private void advance() {
        starved = false;
        while (!endpoint.isClosed() && takeMessage()) {
        }
        LoopIo.Handle handle = io;
        if (endpoint.isClosed() || handle == null) {
            return;
        }
        if (current == null && slab.available() == 0) {
            starved = true;
        } else {
            read(handle);
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
        MemorySegment.copy(chunk, begin, slab.memory(), slab.offset(slot.index()) + filled, bytes);
        begin += bytes;
        filled += bytes;
        if (filled < length) {
            return false;
        }
        current = null;
        endpoint.received(slot, length);
        return true;
    }

    private @Nullable ReceiveSlot beginMessage() {
        int announced = chunk.get(LENGTH, begin);
        if (announced < 0 || announced > slab.slotSize()) {
            endpoint.close(new MessageTooLargeException("a message of " + Integer.toUnsignedString(announced) + " bytes from "
                    + Addresses.format(endpoint.handle().remoteAddress()) + " is larger than the receive buffers of "
                    + slab.slotSize() + " bytes: use larger receive buffers, or smaller messages on the other side"));
            return null;
        }
        ReceiveSlot slot = pool.take();
        if (slot != null) {
            current = slot;
            length = announced;
            filled = 0;
            begin += HEADER;
        }
        return slot;
    }

    private void read(LoopIo.Handle handle) {
        // All that can be left in the chunk is a part of a header: a message that has begun takes everything.
        MemorySegment.copy(chunk, begin, chunk, 0, end - begin);
        end -= begin;
        begin = 0;
        int ahead = length >= LARGE ? LOOK_AHEAD : CHUNK;
        ReceiveSlot slot = current;
        if (slot == null) {
            vector.set(0, chunk.address() + end, ahead - end);
            handle.read(vector.segment(), 1, ahead - end, this);
        } else {
            vector.set(0, slab.address(slot.index()) + filled, length - filled);
            vector.set(1, chunk.address(), ahead);
            handle.read(vector.segment(), 2, (long) length - filled + ahead, this);
        }
    }

    void close() {
        io = null;
        ReceiveSlot slot = current;
        if (slot != null) {
            current = null;
            pool.putBack(slot);
        }
    }
}
