// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.tcp;

import io.reactivenetio.ffm.LibC;
import io.reactivenetio.loop.LoopIo;
import io.reactivenetio.transport.backend.OtherProtocol;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.function.Consumer;

/**
 * Reads the first message of a peer that has to speak first, before there is a connection with buffers. What is longer than
 * {@link #ROOM} is read only so far. Confined to the loop.
 */
final class FirstMessage {
    /** The ClientHello of a JDK has about 400 bytes, and with a ticket of a former session 1,500. */
    static final int ROOM = 2 * 1024;

    private static final int HEADER = Integer.BYTES;

    private final LoopIo.Handle io;
    private final int largest;
    private final Consumer<ByteBuffer> done;
    private final Consumer<String> failed;
    /** The handle refers to this object as long as the kernel may use its memory. */
    private final MemorySegment memory = Arena.ofAuto().allocate(ROOM);
    private final ByteBuffer bytes = memory.asByteBuffer().order(ByteOrder.LITTLE_ENDIAN);

    /**
     * Either {@code done}, with what has arrived, or {@code failed} is called, unless the handle is closed before.
     *
     * @param largest how many bytes a message may have
     */
    FirstMessage(LoopIo.Handle io, int largest, Consumer<ByteBuffer> done, Consumer<String> failed) {
        this.io = io;
        this.largest = largest;
        this.done = done;
        this.failed = failed;
    }

    void start() {
        io.read(memory.asSlice(bytes.position()), this::arrived);
    }

    private void arrived(long result) {
        if (result <= 0) {
            failed.accept((result < 0 ? LibC.strerror((int) result) : "the other side closed it") + " before its first message"
                    + hint());
            return;
        }
        bytes.position(bytes.position() + (int) result);
        ByteBuffer all = bytes.duplicate().order(ByteOrder.LITTLE_ENDIAN).flip();
        int announced = all.remaining() < HEADER ? 0 : all.getInt(0);
        if (announced < 0 || announced > largest || OtherProtocol.isLibfabric(all)) {
            failed.accept("the other side's first bytes are no message of TLS" + hint());
        } else if (bytes.hasRemaining() && all.remaining() < HEADER + announced) {
            start();
        } else {
            done.accept(all);
        }
    }

    /** What the peer may be, after {@code "; "}, by what it has said so far. */
    String hint() {
        String known = OtherProtocol.hint(bytes.duplicate().flip());
        return known.isEmpty() ? "; does it have TLS? Configure secure(…) on both sides or on none" : known;
    }
}
