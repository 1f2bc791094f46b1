// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.asyncmsg;

import io.reactivenetio.ffm.LibC;
import io.reactivenetio.loop.LoopIo;
import io.reactivenetio.transport.ConnectionData;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.Consumer;

/** Says this side's connection data, and reads as many bytes of the peer's, before the first message. Confined to the loop. */
final class DataExchange {
    private final LoopIo.Handle io;
    private final MemorySegment said;
    private final MemorySegment heard;
    private final Consumer<ConnectionData> done;
    private final Consumer<String> failed;
    private long received;

    /** One of {@code done} and {@code failed} is told, unless the handle is closed before. */
    DataExchange(LoopIo.Handle io, ConnectionData data, Consumer<ConnectionData> done, Consumer<String> failed) {
        Arena arena = Arena.ofAuto(); // as long as the kernel may use it, this object is reachable from the handle
        this.io = io;
        this.said = arena.allocateFrom(ValueLayout.JAVA_BYTE, data.bytes());
        this.heard = arena.allocate(said.byteSize());
        this.done = done;
        this.failed = failed;
    }

    void start() {
        io.write(said, this::written);
    }

    /** The first bytes of a connection always fit what the kernel buffers. */
    private void written(long result) {
        if (result == said.byteSize()) {
            read();
        } else {
            failed.accept(result < 0 ? LibC.strerror((int) result) : "its socket took " + result + " bytes");
        }
    }

    private void read() {
        io.read(heard.asSlice(received), this::arrived);
    }

    private void arrived(long result) {
        if (result <= 0) {
            failed.accept(result < 0 ? LibC.strerror((int) result)
                    : "the peer closed it after " + received + " of " + heard.byteSize() + " bytes");
            return;
        }
        received += result;
        if (received < heard.byteSize()) {
            read();
        } else {
            done.accept(ConnectionData.received(heard.toArray(ValueLayout.JAVA_BYTE)));
        }
    }
}
