// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.base.send;

import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** A lock for backends that several threads may call (SAFE). It does nothing for those that one thread calls (UNSAFE). */
final class OptionalLock {
    private final @Nullable ReentrantLock lock;

    OptionalLock(boolean needed) {
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
