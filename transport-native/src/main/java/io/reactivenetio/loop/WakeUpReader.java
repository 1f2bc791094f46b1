// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.loop;

import io.reactivenetio.loop.task.WakeUp;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Has a write to the eventfd of a {@link WakeUp} end the loop's sleep. Where only this loop sleeps on epoll, each write is an
 * edge, and nobody has to read the eventfd: a system call less for each wake-up. An embedder may ask at any time whether there is
 * something, and io_uring waits for a read, so there it is read again and again. Loop thread only.
 */
final class WakeUpReader implements LoopIo.Completion {
    private final WakeUp wakeUp;
    private final Epoll epoll;
    private final @Nullable LoopIo ring;
    private @Nullable FdRegistration edges;
    private LoopIo.@Nullable Handle handle;
    private final MemorySegment buffer = Arena.ofAuto().allocate(Long.BYTES, Long.BYTES);

    /**
     * Begins at once, with {@code readiness}, which has {@code epoll}: that descriptor is what an embedder sleeps on.
     *
     * @param ring what reads when the loop has begun; null to watch {@code epoll} for edges
     */
    WakeUpReader(WakeUp wakeUp, Epoll epoll, LoopIo readiness, @Nullable LoopIo ring) {
        this.wakeUp = wakeUp;
        this.epoll = epoll;
        this.ring = ring;
        read(readiness);
    }

    private void read(LoopIo io) {
        LoopIo.Handle opened = io.open(wakeUp.fd(), 1);
        handle = opened;
        opened.read(buffer, this);
    }

    /** Before the first turn. */
    void begin(boolean embedded) {
        if (embedded) {
            return;
        }
        release();
        if (ring != null) {
            read(ring);
        } else { // what was written before is reported now
            edges = epoll.add(wakeUp.fd(), FdRegistration.READABLE | FdRegistration.CHANGES, events -> { });
        }
    }

    @Override
    public void completed(long result) {
        LoopIo.Handle reading = handle;
        if (reading != null) {
            reading.read(buffer, this);
        }
    }

    private void release() {
        LoopIo.Handle reading = handle;
        if (reading != null) {
            handle = null;
            reading.close();
        }
        FdRegistration watched = edges;
        if (watched != null) {
            edges = null;
            watched.remove();
        }
    }

    /** Closes the wake-up as well. */
    void close() {
        wakeUp.close(this::release);
    }
}
