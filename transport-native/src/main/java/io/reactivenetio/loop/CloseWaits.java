// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.loop;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Who waits for which loop to close: loops that wait for each other, two or in a ring, would do so for ever. Any thread. */
final class CloseWaits {
    private static final Map<Thread, Ownership> WAITING = new HashMap<>();

    private CloseWaits() {
    }

    /** False, and the caller must not wait, if the loop's thread waits for the caller's, itself or through others. */
    static synchronized boolean begin(Ownership loop) {
        Thread caller = Thread.currentThread();
        @Nullable Ownership next = loop;
        while (next != null) {
            Thread thread = next.thread();
            if (caller.equals(thread)) {
                return false;
            }
            next = thread == null ? null : WAITING.get(thread);
        }
        WAITING.put(caller, loop);
        return true;
    }

    static synchronized void end() {
        WAITING.remove(Thread.currentThread());
    }
}
