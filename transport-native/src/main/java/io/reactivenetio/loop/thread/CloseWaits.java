// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.loop.thread;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Who waits for which loop to close: loops that wait for each other, two or in a ring, would do so for ever. Any thread. */
public final class CloseWaits {
    /** Between two looks whether the thread of a loop that is to close has ended without doing so. */
    private static final long LOOK_MILLIS = 100;

    private static final Map<Thread, Ownership> WAITING = new HashMap<>();

    private CloseWaits() {
    }

    /**
     * Waits until {@code closed}, which an interrupt does not end; not at all if the loop's thread waits for the caller's.
     *
     * @param leftBehind called now and then: closes the loop if its thread has ended without doing so
     */
    public static void await(Ownership loop, CountDownLatch closed, Runnable leftBehind) {
        if (!begin(loop)) {
            return; // that loop's thread waits for this one, and so for this turn
        }
        boolean interrupted = false;
        try {
            while (closed.getCount() > 0) {
                try {
                    if (!closed.await(LOOK_MILLIS, TimeUnit.MILLISECONDS)) {
                        leftBehind.run();
                    }
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            end();
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** False, and the caller must not wait, if the loop's thread waits for the caller's, itself or through others. */
    private static synchronized boolean begin(Ownership loop) {
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

    private static synchronized void end() {
        WAITING.remove(Thread.currentThread());
    }
}
