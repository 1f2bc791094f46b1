// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.tls;

import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.memory.Slab;
import io.reactivenetio.transport.SendCompletion;
import io.reactivenetio.transport.backend.BackendCallbacks;
import io.reactivenetio.transport.backend.ConnectionParameters;
import io.reactivenetio.transport.backend.Endpoint;
import io.reactivenetio.transport.backend.GatherList;
import io.reactivenetio.transport.backend.MemoryRegion;
import io.reactivenetio.transport.backend.NetworkBackend;
import io.reactivenetio.transport.backend.SendBuffer;
import io.reactivenetio.transport.backend.SendKey;
import io.reactivenetio.transport.backend.SendKind;
import io.reactivenetio.transport.backend.SendStatus;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * What leaves on one connection: the messages of the user, sealed, and those of the engine. A message is sealed when it is sent,
 * in the order of the calls, and leaves in that order: one that the backend does not take yet waits here, in the buffer it is in.
 * The memory of a message is the borrower's until it is sent, and is used again when the send has completed. On the loop.
 */
final class SealedSends {
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);
    private static final ByteBuffer[] NO_MESSAGE = {NOTHING};
    private static final ByteBuffer DATA = ByteBuffer.wrap(new byte[] {SealedSizes.DATA}).asReadOnlyBuffer();
    private static final ByteBuffer GREETING = ByteBuffer.wrap(new byte[] {SealedSizes.GREETING}).asReadOnlyBuffer();
    /** What a buffer of the backend has that is in flight: a slot of a buffered send, or one of these. */
    private static final int UNUSED = -1;
    private static final int OWN = -2;
    private static final int ZERO_COPY = -3;

    /** A sealed message that the backend has not taken yet. */
    private record Waiting(SendBuffer buffer, SendCompletion level) {
    }

    private final NetworkBackend backend;
    private final Endpoint endpoint;
    private final EventLoop loop;
    private final LateEngine engine;
    private final ConnectionParameters plain;
    private final Slab memory;
    private final int[] uses;
    private final long[] zeroCopyKeys;
    private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();
    /** Messages that the engine has failed on. */
    private final List<SendBuffer> broken = new ArrayList<>(0);
    private final MemoryRegion.@Nullable Use region;
    /** Kept for the engine, which otherwise might find none. */
    private @Nullable SendBuffer reserve;
    private int buffered;
    private int zeroCopies;
    private int own;
    private boolean starved;
    private boolean closed;

    SealedSends(NetworkBackend backend, Endpoint endpoint, EventLoop loop, LateEngine engine, ConnectionParameters plain) {
        this.backend = backend;
        this.endpoint = endpoint;
        this.loop = loop;
        this.engine = engine;
        this.plain = plain;
        int keys = SealedSizes.of(plain).sendBuffers();
        uses = new int[keys];
        Arrays.fill(uses, UNUSED);
        MemoryRegion slices = plain.region();
        zeroCopyKeys = new long[slices == null ? 0 : keys];
        memory = new Slab(plain.sendBuffers(), plain.sendBuffers() > 0 ? plain.sendBufferSize() : 1);
        try {
            region = slices == null ? null : slices.acquire();
        } catch (RuntimeException e) { // it is closed
            memory.retire(0);
            throw e;
        }
    }

    // ---- the user's messages

    /** Lends a buffer. Null if there is none now. */
    @Nullable SendBuffer lend() {
        if (closed) {
            return null;
        }
        if (buffered == plain.sendBuffers()) {
            starved = true;
            return null;
        }
        SendBuffer sealed = backend.getBuffer(endpoint);
        if (sealed == null) {
            return null;
        }
        int slot = memory.acquire();
        buffered++;
        return new PlainBuffer(this, slot, memory.view(slot).clear().order(ByteOrder.LITTLE_ENDIAN), sealed);
    }

    int free() {
        return closed ? 0 : Math.min(plain.sendBuffers() - buffered, backend.freeSendBuffers(endpoint));
    }

    /** A loan is over without a send. */
    void released(int slot, SendBuffer sealed) {
        sealed.release();
        freeSlot(slot);
        serveLater();
    }

    private void freeSlot(int slot) {
        if (closed && !loop.inEventLoop()) {
            memory.freeForeign(slot);
        } else {
            memory.free(slot);
        }
        buffered--;
    }

    SendStatus send(PlainBuffer message, SendCompletion level) throws SSLException {
        if (closed) {
            message.release();
            return SendStatus.FAILED;
        }
        int slot = message.key();
        ByteBuffer bytes = memory.view(slot).clear().limit(message.length());
        SendBuffer sealed = message.take();
        uses[sealed.key()] = slot;
        seal(new ByteBuffer[] {bytes, DATA.duplicate()}, sealed);
        if (post(sealed, level)) {
            return SendStatus.OK;
        }
        uses[sealed.key()] = UNUSED;
        freeSlot(slot);
        return SendStatus.FAILED;
    }

    /** Seals what {@code message} gathers. It is copied by that, and its memory is nevertheless the sender's only later. */
    SendStatus send(GatherList message, long key, SendCompletion level) throws SSLException {
        if (closed) {
            return SendStatus.FAILED;
        }
        ByteBuffer[] parts = gather(message);
        SendBuffer sealed = zeroCopies < plain.zeroCopySends() ? backend.getBuffer(endpoint) : null;
        if (sealed == null) {
            starved |= zeroCopies == plain.zeroCopySends();
            return SendStatus.NO_RESOURCES;
        }
        zeroCopies++;
        uses[sealed.key()] = ZERO_COPY;
        zeroCopyKeys[sealed.key()] = key;
        seal(parts, sealed);
        if (post(sealed, level)) {
            return SendStatus.OK;
        }
        zeroCopies--;
        uses[sealed.key()] = UNUSED;
        return SendStatus.FAILED;
    }

    private ByteBuffer[] gather(GatherList message) {
        MemoryRegion from = plain.region();
        if (from == null) {
            throw new IllegalStateException("a slice of a connection without a region");
        }
        if (message.bytes() > plain.zeroCopySize()) {
            throw new IllegalArgumentException("a message of " + message.bytes() + " bytes; zero-copy messages of this connection"
                    + " have at most " + plain.zeroCopySize());
        }
        byte[] header = new byte[message.headerLength()];
        for (int i = 0; i < header.length; i++) {
            header[i] = message.header(i);
        }
        List<ByteBuffer> parts = new ArrayList<>(message.spans() + 2);
        parts.add(ByteBuffer.wrap(header));
        MemorySegment memoryOfRegion = from.segment();
        for (int i = 0; i < message.spans(); i++) {
            try {
                parts.add(memoryOfRegion.asSlice(message.offset(i), message.length(i)).asByteBuffer());
            } catch (IndexOutOfBoundsException e) {
                throw new IllegalArgumentException("span " + i + ", " + message.length(i) + " bytes at " + message.offset(i)
                        + ", is not within the region of " + from.size() + " bytes", e);
            }
        }
        parts.add(DATA.duplicate());
        return parts.toArray(ByteBuffer[]::new);
    }

    private void seal(ByteBuffer[] message, SendBuffer into) throws SSLException {
        ByteBuffer target = into.data();
        try {
            while (hasRemaining(message)) {
                SSLEngineResult result = RecordScratch.seal(engine.get(), message, target);
                if (result.getStatus() != SSLEngineResult.Status.OK || result.bytesProduced() == 0) {
                    throw new SSLException("a message could not be sealed: " + result.getStatus() + ", "
                            + result.getHandshakeStatus());
                }
            }
        } catch (SSLException e) {
            broken.add(into);
            throw e;
        }
        into.length(target.position());
        target.clear();
    }

    private static boolean hasRemaining(ByteBuffer[] message) {
        for (ByteBuffer part : message) {
            if (part.hasRemaining()) {
                return true;
            }
        }
        return false;
    }

    /** Sends it now, or later if the backend has no room. False if it will never be sent; its buffer is free then. */
    private boolean post(SendBuffer sealed, SendCompletion level) {
        if (waiting.isEmpty()) {
            SendStatus status = backend.sendBuffer(endpoint, sealed, level);
            if (status != SendStatus.NO_RESOURCES) {
                return status == SendStatus.OK;
            }
        }
        waiting.add(new Waiting(sealed, level));
        return true;
    }

    /** The backend has room again. */
    void resume() {
        while (!waiting.isEmpty()) {
            Waiting next = waiting.element();
            SendStatus status = backend.sendBuffer(endpoint, next.buffer(), next.level());
            if (status != SendStatus.OK) {
                return; // later; or it is over, and the end will tell
            }
            waiting.remove();
        }
    }

    // ---- the engine's messages

    private @Nullable SendBuffer ownBuffer() {
        SendBuffer kept = reserve;
        reserve = null;
        return kept != null ? kept : closed ? null : backend.getBuffer(endpoint);
    }

    /** Sends what the engine wants to say. False if there is no buffer for it now. */
    boolean sendOwn(SendCompletion level) throws SSLException {
        SendBuffer buffer = ownBuffer();
        if (buffer == null) {
            return false;
        }
        ByteBuffer target = buffer.data();
        boolean more;
        do {
            int before = target.position();
            RecordScratch.seal(engine.get(), NO_MESSAGE, target);
            more = target.position() > before && target.position() <= SealedSizes.SMALL_MESSAGE
                    && engine.get().getHandshakeStatus() == HandshakeStatus.NEED_WRAP;
        } while (more);
        int bytes = target.position();
        target.clear();
        if (bytes == 0) {
            reserve = buffer;
            return true;
        }
        buffer.length(bytes);
        postOwn(buffer, level);
        return true;
    }

    /** Sends the first of what the engine has said elsewhere, and more of it if it is small. False if there is no buffer now. */
    boolean sendOwn(ArrayDeque<ByteBuffer> said) {
        SendBuffer buffer = ownBuffer();
        if (buffer == null) {
            return false;
        }
        ByteBuffer target = buffer.data();
        do {
            target.put(said.remove());
        } while (!said.isEmpty() && target.position() <= SealedSizes.SMALL_MESSAGE);
        buffer.length(target.position());
        target.clear();
        postOwn(buffer, SendCompletion.TRANSMITTED);
        return true;
    }

    /** Drops what the engine wants to say: nobody is there to hear it. */
    void dropOwn() throws SSLException {
        ByteBuffer nobody = ByteBuffer.allocate(SealedSizes.RECORD_ROOM);
        SSLEngineResult result;
        do {
            result = engine.get().wrap(NOTHING, nobody.clear());
        } while (result.bytesProduced() > 0 && result.getHandshakeStatus() == HandshakeStatus.NEED_WRAP);
    }

    /** Sends the first sealed message: what this side has said before anything was sealed. False if there is no buffer now. */
    boolean greet() throws SSLException {
        SendBuffer buffer = ownBuffer();
        if (buffer == null) {
            return false;
        }
        seal(new ByteBuffer[] {ByteBuffer.wrap(plain.data().bytes()), GREETING.duplicate()}, buffer);
        postOwn(buffer, SendCompletion.TRANSMITTED);
        return true;
    }

    private void postOwn(SendBuffer buffer, SendCompletion level) {
        uses[buffer.key()] = OWN;
        own++;
        post(buffer, level);
    }

    /** Whether messages of the engine are under way. */
    boolean isSendingOwn() {
        return own > 0;
    }

    // ---- completions

    /** A send of the backend is over. Tells {@code above} if it was one of the user's. */
    void completed(int key, BackendCallbacks above) {
        int use = uses[key];
        uses[key] = UNUSED;
        if (use >= 0) {
            freeSlot(use);
            above.onSendCompleted(endpoint, SendKind.BUFFERED, use);
        } else if (use == ZERO_COPY) {
            zeroCopies--;
            above.onSendCompleted(endpoint, SendKind.ZERO_COPY, zeroCopyKeys[key]);
        } else if (use == OWN) {
            own--;
        }
        if (reserve == null && !closed) {
            reserve = backend.getBuffer(endpoint);
        }
        serveLater();
    }

    private void serveLater() {
        if (starved && !closed) {
            starved = false;
            loop.atEndOfTurn(this::serve);
        }
    }

    private void serve() {
        if (!closed) {
            endpoint.callbacks().onResourcesAvailable(endpoint);
        }
    }

    // ---- the end

    /** Nothing can be sent any more. */
    void stop() {
        closed = true;
    }

    /**
     * The connection is over. {@code cancelled} are the backend's sends that will not complete.
     *
     * @return the user's sends that will not complete
     */
    List<SendKey> close(List<SendKey> cancelled) {
        closed = true;
        List<SendKey> users = new ArrayList<>();
        for (SendKey send : cancelled) {
            cancel((int) send.key(), users);
        }
        for (Waiting sealed : waiting) {
            cancel(sealed.buffer().key(), users);
            release(sealed.buffer());
        }
        waiting.clear();
        for (SendBuffer sealed : broken) {
            cancel(sealed.key(), users);
            sealed.release();
        }
        broken.clear();
        if (reserve != null) {
            reserve.release();
            reserve = null;
        }
        memory.retire(0);
        if (region != null) {
            region.release();
        }
        return users;
    }

    private void cancel(int key, List<SendKey> users) {
        int use = uses[key];
        uses[key] = UNUSED;
        if (use >= 0) {
            memory.free(use);
            users.add(new SendKey(SendKind.BUFFERED, use));
        } else if (use == ZERO_COPY) {
            users.add(new SendKey(SendKind.ZERO_COPY, zeroCopyKeys[key]));
        }
    }

    private static void release(SendBuffer buffer) {
        try {
            buffer.release();
        } catch (IllegalStateException e) {
            return; // the backend has refused it in the end, and has it
        }
    }
}
