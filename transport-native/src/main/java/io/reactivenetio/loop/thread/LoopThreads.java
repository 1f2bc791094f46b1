// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.loop.thread;

import io.reactivenetio.ffm.Affinity;
import java.util.concurrent.ConcurrentHashMap;

/** The threads that run an event loop now, each with the number of loops it runs (a loop may be embedded in another). */
public final class LoopThreads {
    private static final ConcurrentHashMap<Thread, Integer> LOOPS = new ConcurrentHashMap<>();

    private LoopThreads() {
    }

    public static void enter(Thread thread) {
        LOOPS.merge(thread, 1, Integer::sum);
    }

    public static void exit(Thread thread) {
        LOOPS.computeIfPresent(thread, (key, loops) -> loops == 1 ? null : loops - 1);
    }

    /** The loop of a thread that has ended goes on, for its end, on the caller's. */
    public static void inherit(Thread gone) {
        exit(gone);
        enter(Thread.currentThread());
    }

    /**
     * Runs {@code code} on a virtual thread, for a loop that must not wait for a lock or for a new thread. The JVM's threads that
     * carry virtual ones must not inherit the CPU that the loop is bound to.
     */
    public static void leave(Runnable code) {
        Affinity.unbound(() -> Thread.ofVirtual().name("netio-off-loop").start(code));
    }

    public static boolean contains(Thread thread) {
        return LOOPS.containsKey(thread);
    }
}
