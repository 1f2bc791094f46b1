// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.base;

import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A lock where several threads may call (SAFE), nothing where one thread does (UNSAFE). Held for a few instructions at a time.
 */
final class Guard {
    private final @Nullable ReentrantLock lock;

    Guard(boolean needed) {
        lock = needed ? new ReentrantLock() : null;
    }

    void lock() {
        ReentrantLock held = lock;
        if (held != null) {
            held.lock();
        }
    }

    void unlock() {
        ReentrantLock held = lock;
        if (held != null) {
            held.unlock();
        }
    }
}
