// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.loop;

import io.reactivenetio.loop.task.WakeUp;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Reads the eventfd of a {@link WakeUp}, again and again, so that a write to it ends the loop's sleep. Loop thread only. */
final class WakeUpReader implements LoopIo.Completion {
    private final WakeUp wakeUp;
    private final LoopIo io;
    private LoopIo.Handle handle;
    private final MemorySegment buffer = Arena.ofAuto().allocate(Long.BYTES, Long.BYTES);

    /**
     * Begins at once.
     *
     * @param first what reads until the loop begins, and where it is embedded: that descriptor is what an embedder sleeps on
     * @param io what reads otherwise
     */
    WakeUpReader(WakeUp wakeUp, LoopIo first, LoopIo io) {
        this.wakeUp = wakeUp;
        this.io = io;
        this.handle = first.open(wakeUp.fd(), 1);
        handle.read(buffer, this);
    }

    /** Before the first turn. */
    void begin(boolean embedded) {
        if (!embedded) {
            handle.close();
            handle = io.open(wakeUp.fd(), 1);
            handle.read(buffer, this);
        }
    }

    @Override
    public void completed(long result) {
        handle.read(buffer, this);
    }

    /** Closes the wake-up as well. */
    void close() {
        wakeUp.close(handle::close);
    }
}
