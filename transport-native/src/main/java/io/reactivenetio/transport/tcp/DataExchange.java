// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.tcp;

import io.reactivenetio.ffm.LibC;
import io.reactivenetio.loop.LoopIo;
import io.reactivenetio.transport.backend.ConnectionData;
import io.reactivenetio.transport.backend.OtherProtocol;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.Consumer;

/** Writes this side's connection data and reads as many bytes of the peer's, before the first message. Confined to the loop. */
final class DataExchange {
    private static final long LIKE_OURS = 4;

    private final LoopIo.Handle io;
    private final MemorySegment ownData;
    private final MemorySegment peerData;
    private final Consumer<ConnectionData> done;
    private final Consumer<String> failed;
    private long received;

    /** Either {@code done} or {@code failed} is called, unless the handle is closed before. */
    DataExchange(LoopIo.Handle io, ConnectionData data, Consumer<ConnectionData> done, Consumer<String> failed) {
        Arena arena = Arena.ofAuto(); // as long as the kernel may use it, this object is reachable from the handle
        this.io = io;
        this.ownData = arena.allocateFrom(ValueLayout.JAVA_BYTE, data.bytes());
        this.peerData = arena.allocate(ownData.byteSize());
        this.done = done;
        this.failed = failed;
    }

    void start() {
        io.write(ownData, this::written);
    }

    /** The first bytes of a connection always fit into the kernel's buffer. */
    private void written(long result) {
        if (result == ownData.byteSize()) {
            read();
        } else {
            failed.accept(result < 0 ? LibC.strerror((int) result) : "its socket took " + result + " bytes");
        }
    }

    private void read() {
        io.read(peerData.asSlice(received), this::arrived);
    }

    private void arrived(long result) {
        if (result <= 0) {
            failed.accept((result < 0 ? LibC.strerror((int) result)
                    : "the other side closed it after " + received + " of " + peerData.byteSize() + " bytes") + hint());
            return;
        }
        received += result;
        if (received < peerData.byteSize()) {
            String hint = isLikeOurs() ? "" : hint();
            if (hint.isEmpty()) {
                read();
            } else {
                failed.accept("the other side's first " + received + " bytes are not of this library" + hint);
            }
        } else {
            done.accept(ConnectionData.received(peerData.toArray(ValueLayout.JAVA_BYTE)));
        }
    }

    /** Whether what has arrived begins as this side's own data does, which is the user's: then it is no other protocol. */
    private boolean isLikeOurs() {
        return MemorySegment.mismatch(peerData, 0, Math.min(received, LIKE_OURS), ownData, 0, Math.min(received, LIKE_OURS)) < 0;
    }

    /** What the peer may be, after {@code "; "}, by what it has said so far. */
    String hint() {
        if (received == 0) {
            return "; the other side may use another backend (libfabric in place of plain TCP), or be another program: configure"
                    + " backend(…) alike on both sides, check host and port";
        }
        return OtherProtocol.hint(peerData.asSlice(0, received).asByteBuffer());
    }
}
