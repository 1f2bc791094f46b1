// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.tls;

import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.transport.backend.ConnectionData;
import io.reactivenetio.transport.backend.ConnectionParameters;
import io.reactivenetio.transport.backend.ReceivedBuffer;
import io.reactivenetio.transport.base.receive.ReceivePool;
import io.reactivenetio.transport.base.receive.ReceiveSlot;
import io.reactivenetio.transport.exceptions.MessageTooLargeException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * What arrives on one connection: sealed messages, each opened into a buffer of its own, of which there are as many as the user
 * has asked for receive buffers. A sealed message whose turn it is when no such buffer is free stays in its receive buffer, which
 * the peer cannot use meanwhile: so demand stops the sender as it does without TLS. On the loop,
 * or on the one worker that has the engine.
 */
final class OpenedReceives {
    /** Room for what a record says of itself, which an engine wants to see free. */
    private static final int ROOM = 64;

    /** What came of the next message. */
    enum Step {
        /** There is none. */
        NONE,
        /** There is one, and no buffer to open it into. */
        NO_BUFFER,
        /** The engine has to do or say something first. */
        ENGINE,
        /** It was the engine's. */
        OWN,
        /** It is open: {@link #message}. */
        OPEN
    }

    private final EventLoop loop;
    private final LateEngine engine;
    private final int largest;
    private final int slotSize;
    private final ReceivePool pool;
    private final ArrayDeque<ReceivedBuffer> arrived = new ArrayDeque<>();
    /** For those that waited when the connection ended. */
    private @Nullable ReceivePool last;
    /** Where the first of those that arrived is opened into, and what of it is not open yet. */
    private @Nullable ReceiveSlot slot;
    private @Nullable ByteBuffer target;
    private @Nullable ByteBuffer source;
    private boolean isEnded;

    /** {@code onFree} is called when a buffer is free again, possibly from within a release. */
    OpenedReceives(EventLoop loop, LateEngine engine, ConnectionParameters plain, Runnable onFree) {
        this.loop = loop;
        this.engine = engine;
        int number = plain.receiveBuffers();
        largest = number > 0 ? plain.receiveBufferSize() : 0;
        slotSize = Math.max(largest, ConnectionData.MAX) + SealedSizes.KIND + ROOM;
        pool = new ReceivePool(loop, slotSize, Math.max(1, number), false, onFree);
    }

    /** Takes over the caller's reference to what has arrived. */
    void take(ReceivedBuffer sealed) {
        arrived.add(sealed);
    }

    boolean hasArrived() {
        return !arrived.isEmpty();
    }

    /** How many buffers wait for messages, with the one that is ready for the next. */
    int free() {
        return pool.available() + (slot == null ? 0 : 1);
    }

    /** Whether the peer has said that nothing more comes. */
    boolean isEnded() {
        return isEnded;
    }

    /** Opens the first of those that arrived. */
    Step next() throws SSLException {
        ReceivedBuffer sealed = arrived.peek();
        if (sealed == null) {
            return Step.NONE;
        }
        if (slot == null && !takeSlot()) {
            return Step.NO_BUFFER;
        }
        ByteBuffer from = source;
        if (from == null) {
            from = sealed.data().duplicate();
            source = from;
            if (!from.hasRemaining()) {
                throw new SSLException("an empty message");
            }
        }
        ByteBuffer to = target;
        if (to == null) {
            throw new IllegalStateException("a slot without memory");
        }
        while (from.hasRemaining() && !isEnded) {
            if (!open(from, to)) {
                return Step.ENGINE;
            }
        }
        source = null;
        arrived.remove().release();
        return to.position() == 0 ? Step.OWN : Step.OPEN;
    }

    /** Opens one record. False if the engine has to do something before the next. */
    private boolean open(ByteBuffer from, ByteBuffer to) throws SSLException {
        SSLEngineResult result = RecordScratch.open(engine.get(), from, to);
        if (result.getStatus() == SSLEngineResult.Status.BUFFER_OVERFLOW) {
            result = openElsewhere(from, to);
        }
        switch (result.getStatus()) {
            case BUFFER_UNDERFLOW -> throw new SSLException("a record that ends in the middle");
            case CLOSED -> isEnded = true;
            default -> {
                HandshakeStatus status = result.getHandshakeStatus();
                if (status == HandshakeStatus.NEED_TASK || status == HandshakeStatus.NEED_WRAP) {
                    return false;
                }
                if (result.bytesConsumed() == 0) {
                    throw new SSLException("a record that the engine does not take: " + status);
                }
            }
        }
        return true;
    }

    /** Opens a record that seems too large, because the engine does not know yet that it is one of its own. */
    private SSLEngineResult openElsewhere(ByteBuffer from, ByteBuffer to) throws SSLException {
        ByteBuffer room = ByteBuffer.allocate(SealedSizes.RECORD_ROOM);
        SSLEngineResult result = engine.get().unwrap(from, room);
        if (room.flip().remaining() > to.remaining()) {
            throw tooLarge();
        }
        to.put(room);
        return result;
    }

    private MessageTooLargeException tooLarge() {
        return new MessageTooLargeException("a sealed message is larger than the receive buffers of " + largest
                + " bytes: configure larger ones");
    }

    private boolean takeSlot() {
        ReceiveSlot taken = pool.take();
        ReceivePool more = last;
        if (taken == null && more != null) {
            taken = more.take();
        }
        if (taken == null) {
            return false;
        }
        slot = taken;
        target = taken.block().view(taken.indexInBlock()).clear();
        return true;
    }

    /** The open message, with the byte behind it that says what it is for. */
    ByteBuffer opened() {
        ByteBuffer message = target;
        if (message == null || message.position() == 0) {
            throw new IllegalStateException("no message is open");
        }
        return message;
    }

    /** The open message as the user's, who owns the first reference. Its buffer is the user's from now on. */
    ReceivedBuffer message(boolean freshHandles) {
        int bytes = opened().position() - SealedSizes.KIND;
        if (bytes > largest) {
            throw tooLarge();
        }
        ReceiveSlot taken = slot;
        if (taken == null) {
            throw new IllegalStateException("no message is open");
        }
        slot = null;
        target = null;
        return taken.received(bytes, freshHandles);
    }

    /** Has the buffer of the open message used for the next one. */
    void forget() {
        opened().clear();
    }

    /** The peer has gone: opens what has arrived without waiting for the user, who takes it later. */
    void makeRoomForAll() {
        if (!arrived.isEmpty()) {
            last = new ReceivePool(loop, slotSize, arrived.size(), false, () -> { });
        }
    }

    /** Drops what is not open. Memory that the user still has is freed when the user gives it back. */
    void close() {
        ReceivedBuffer sealed;
        while ((sealed = arrived.poll()) != null) {
            sealed.release();
        }
        pool.close();
        if (last != null) {
            last.close();
        }
    }
}
