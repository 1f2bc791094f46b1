// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.receive;

import io.reactivenetio.loop.EventLoop;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** One loop on a thread of its own for all the states of a race: a third party that the actors hand their work to. */
public final class SharedLoop {
    public static final EventLoop LOOP = EventLoop.create("stress");

    static {
        LOOP.start();
    }

    private SharedLoop() {
    }

    /** Returns when the loop has run what was submitted before. */
    public static void settle() {
        AtomicBoolean done = new AtomicBoolean();
        LOOP.execute(() -> done.set(true));
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        while (!done.get()) {
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException("the loop did not come to it within 10 s");
            }
            Thread.onSpinWait();
        }
    }
}
