// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.loop;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Wakes the sleeping loop with one write to an eventfd for all that comes until it has woken, and with none while it is awake.
 *
 * <p>Nobody is missed, after Dekker: the loop first publishes that it sleeps and then looks once more whether there is work; a
 * producer first publishes its work and then looks whether the loop sleeps. One of the two sees the other.
 *
 * <p>A loop without a thread has nobody to wake, but perhaps somebody to tell.
 */
final class WakeUp implements LoopIo.Completion {
    private final GuardedFd fd;
    private final LoopIo io;
    private LoopIo.Handle handle;
    private final LoopStatistics statistics;
    private final @Nullable Runnable told;
    private final MemorySegment buffer = Arena.ofAuto().allocate(Long.BYTES, Long.BYTES);
    /** From the start, so that an embedder who sleeps before the first turn is woken too. */
    private final AtomicBoolean asleep = new AtomicBoolean(true);
    private final AtomicLong wokenNanos = new AtomicLong();

    /**
     * Takes over {@code fd}. {@code told} is called instead of a write to it, and each time, if there is one.
     *
     * @param first what reads until the loop begins, and where it is embedded: that descriptor is what an embedder sleeps on
     * @param io what reads otherwise
     */
    WakeUp(int fd, LoopIo first, LoopIo io, LoopStatistics statistics, @Nullable Runnable told) {
        this.fd = new GuardedFd(fd);
        this.io = io;
        this.statistics = statistics;
        this.told = told;
        this.handle = first.open(fd, 1);
        handle.read(buffer, this);
    }

    /** Loop thread, before the first turn. */
    void begin(boolean embedded) {
        if (!embedded) {
            handle.close();
            handle = io.open(fd.fd(), 1);
            handle.read(buffer, this);
        }
    }

    /** Loop thread. To be followed by a last look for work. */
    void sleep() {
        wokenNanos.setOpaque(0);
        asleep.set(true);
    }

    /** Loop thread. */
    void awake() {
        asleep.setRelease(false);
    }

    /** Whether the loop sleeps or is about to, as far as is known. Any thread. */
    boolean isAsleep() {
        return asleep.get();
    }

    /** Any thread, after having published its work. */
    void wake() {
        VarHandle.fullFence();
        if (asleep.get()) {
            wakeSleeper();
        }
    }

    private void wakeSleeper() {
        Runnable listener = told;
        if (listener != null) {
            listener.run(); // it sleeps until its next turn
        } else if (asleep.compareAndSet(true, false) && fd.enter()) {
            boolean written = false;
            try {
                wokenNanos.setRelease(System.nanoTime()); // a loop that sleeps has the kernel's clock
                EventFd.increment(fd.fd());
                written = true;
                statistics.countWakeUp();
            } finally {
                if (!written) { // no stack was left, for one: the next to come must not take it for awake
                    asleep.set(true);
                }
                fd.exit();
            }
        }
    }

    /** Loop thread. When it was woken out of its last sleep, in terms of System.nanoTime; 0 if nobody has done so. */
    long wokenNanos() {
        return wokenNanos.getAcquire();
    }

    @Override
    public void completed(long result) {
        handle.read(buffer, this);
    }

    /** Loop thread. A wake that is under way finishes on a descriptor that is still open. */
    void close() {
        if (fd.shut()) {
            handle.close();
            fd.exit();
        }
    }
}
