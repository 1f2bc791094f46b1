// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.loop.task;

import io.reactivenetio.loop.fd.EventFd;
import io.reactivenetio.loop.fd.GuardedFd;
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
public final class WakeUp {
    private final GuardedFd fd;
    private final LoopCounters counters;
    private final @Nullable Runnable told;
    /** From the start, so that an embedder who sleeps before the first turn is woken too. */
    private final AtomicBoolean asleep = new AtomicBoolean(true);
    private final AtomicLong wokenNanos = new AtomicLong();

    /** Takes over {@code fd}. {@code told} is called instead of a write to it, and each time, if there is one. */
    public WakeUp(int fd, LoopCounters counters, @Nullable Runnable told) {
        this.fd = new GuardedFd(fd);
        this.counters = counters;
        this.told = told;
    }

    /** Returns the descriptor for whoever reads it. */
    public int fd() {
        return fd.fd();
    }

    /** Loop thread. To be followed by a last look for work. */
    public void sleep() {
        wokenNanos.setOpaque(0);
        asleep.set(true);
    }

    /** Loop thread. */
    public void awake() {
        asleep.setRelease(false);
    }

    /** Whether the loop sleeps or is about to, as far as is known. Any thread. */
    public boolean isAsleep() {
        return asleep.get();
    }

    /** Any thread, after having published its work. */
    public void wake() {
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
                counters.countWakeUp();
            } finally {
                if (!written) { // no stack was left, for one: the next to come must not take it for awake
                    asleep.set(true);
                }
                fd.exit();
            }
        }
    }

    /** Loop thread. When it was woken out of its last sleep, in terms of System.nanoTime; 0 if nobody has done so. */
    public long wokenNanos() {
        return wokenNanos.getAcquire();
    }

    /** Loop thread. A wake that is under way finishes on a descriptor that is still open; {@code reader} lets go of it first. */
    public void close(Runnable reader) {
        if (fd.shut()) {
            reader.run();
            fd.exit();
        }
    }
}
