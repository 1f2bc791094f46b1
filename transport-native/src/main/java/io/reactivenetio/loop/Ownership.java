// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.loop;

import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** Which thread a loop belongs to: nobody at first, then one thread once and for all, nobody again when it is closed. */
class Ownership {
    private final AtomicBoolean claimed = new AtomicBoolean();
    private volatile @Nullable Thread owner;

    /** Any thread. True for the one call that makes {@code thread} the owner. */
    boolean claim(Thread thread) {
        if (!claimed.compareAndSet(false, true)) {
            return false;
        }
        owner = thread;
        return true;
    }

    /** By whoever claimed it for another thread, which cannot run. */
    void handTo(Thread thread) {
        owner = thread;
    }

    boolean isClaimed() {
        return claimed.get();
    }

    /** The closed loop lets its thread go. It cannot be claimed again. */
    void release() {
        owner = null;
    }

    boolean isOwner() {
        return Thread.currentThread().equals(owner);
    }

    /** Throws IllegalStateException unless the caller is the owner. */
    void requireOwner() {
        if (!isOwner()) {
            throw new IllegalStateException("Not on the thread of the event loop: " + Thread.currentThread().getName());
        }
    }

    /** Throws IllegalStateException unless the caller is the owner or nobody is yet. */
    void requireOwnerIfClaimed() {
        if (isClaimed()) {
            requireOwner();
        }
    }
}
