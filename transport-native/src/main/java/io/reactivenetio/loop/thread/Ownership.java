// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.loop.thread;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Which thread a loop belongs to: nobody at first, then one thread once and for all, nobody again when it is closed. */
public class Ownership {
    private final AtomicBoolean claimed = new AtomicBoolean();
    private final AtomicReference<@Nullable Thread> owner = new AtomicReference<>();

    /** Any thread. True for the one call that makes {@code thread} the owner. */
    public boolean claim(Thread thread) {
        if (!claimed.compareAndSet(false, true)) {
            return false;
        }
        owner.set(thread);
        return true;
    }

    @Nullable Thread thread() {
        return owner.get();
    }

    /** Whether there is a thread that runs the loop, or will. */
    public boolean hasThread() {
        Thread thread = owner.get();
        return thread != null && !isGone(thread);
    }

    /**
     * Makes the caller the owner if the owner has ended and left the loop behind, as an embedder may.
     *
     * @return the thread that has ended, or null if nothing has changed
     */
    public @Nullable Thread inherit() {
        Thread thread = owner.get();
        return thread != null && isGone(thread) && owner.compareAndSet(thread, Thread.currentThread()) ? thread : null;
    }

    private static boolean isGone(Thread thread) {
        return !thread.isAlive() && thread.getState() != Thread.State.NEW;
    }

    /** Hands the loop to another thread, for which the caller has claimed it and which cannot run yet. */
    public void handTo(Thread thread) {
        owner.set(thread);
    }

    public boolean isClaimed() {
        return claimed.get();
    }

    /** The closed loop lets its thread go. It cannot be claimed again. */
    public void release() {
        owner.set(null);
    }

    public boolean isOwner() {
        return Thread.currentThread().equals(owner.get());
    }

    /** Throws IllegalStateException unless the caller is the owner. */
    public void requireOwner() {
        if (!isOwner()) {
            throw new IllegalStateException("Not on the thread of the event loop: " + Thread.currentThread().getName());
        }
    }

    /** Throws IllegalStateException unless the caller is the owner or nobody is yet. */
    public void requireOwnerIfClaimed() {
        if (isClaimed()) {
            requireOwner();
        }
    }
}
