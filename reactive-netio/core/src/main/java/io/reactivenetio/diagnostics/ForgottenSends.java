// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.diagnostics;

import io.reactivenetio.transport.backend.WorkerPool;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;

/**
 * Finds sends that nobody has subscribed to, which send nothing. It watches the first sends of a process, and tells of the first
 * one twice. After a second it says that nothing is sent so far, which may be meant: a send can be for later. When the Mono has
 * become garbage it warns. A thread looks, as long as there are sends that wait and the first was not told. Any thread.
 */
public final class ForgottenSends {
    private static final Logger LOG = LoggerFactory.getLogger(ForgottenSends.class);
    /** Whoever forgets to subscribe does it from the beginning, and each send that is watched costs a look at the stack. */
    private static final int WATCHED = 256;
    private static final long LATE_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    private static final AtomicBoolean WARNED = new AtomicBoolean();
    /** Whether a send was told that is late, but may still be subscribed to. */
    private static final AtomicBoolean HINTED = new AtomicBoolean();
    private static final AtomicInteger LEFT = new AtomicInteger(WATCHED);
    private static final ReferenceQueue<Mono<?>> GARBAGE = new ReferenceQueue<>();
    /** The sends that nobody has subscribed to so far. */
    private static final Set<Watch> OPEN = ConcurrentHashMap.newKeySet();
    private static final AtomicBoolean LOOKING = new AtomicBoolean();
    private static final ExecutorService LOOKER = WorkerPool.create("netio-sends-", 1);

    private ForgottenSends() {
    }

    /** Begins as in a new process: for tests, of which others may have made the first sends before in the same JVM. */
    static void beginAnew() {
        OPEN.clear();
        WARNED.set(false);
        HINTED.set(false);
        LEFT.set(WATCHED);
    }

    /** Watches a new send; null if it is one of those that are not. */
    public static @Nullable Watch watch(Mono<?> send) {
        if (LEFT.get() <= 0 && OPEN.isEmpty()) {
            return null;
        }
        tell();
        if (LEFT.get() <= 0 || LEFT.getAndDecrement() <= 0) {
            return null;
        }
        Watch watch = new Watch(send, CallSite.find());
        OPEN.add(watch);
        lookLater();
        return watch;
    }

    private static void lookLater() {
        if (!HINTED.get() && !LOOKING.getAndSet(true)) {
            try {
                LOOKER.execute(ForgottenSends::look);
            } catch (Throwable t) { // no thread can be had: the garbage collector tells
                LOOKING.set(false);
            }
        }
    }

    private static void look() {
        while (!HINTED.get() && !OPEN.isEmpty()) {
            LockSupport.parkNanos(LOOK_NANOS);
            tell();
            tellLate(System.nanoTime());
        }
        LOOKING.set(false);
        if (!OPEN.isEmpty()) { // one was added meanwhile
            lookLater();
        }
    }

    private static void tellLate(long now) {
        for (Watch watch : OPEN) {
            if (now - watch.madeNanos >= LATE_NANOS && !WARNED.get() && OPEN.contains(watch) && !HINTED.getAndSet(true)) {
                LOG.info("A send was made at {}, and nobody has subscribed to its Mono for 1 s: nothing is sent before that. If"
                        + " it is for later, this is as it should be. This is said once.", watch.where);
            }
        }
    }

    private static void tell() {
        while (GARBAGE.poll() instanceof Watch forgotten) {
            if (OPEN.remove(forgotten) && !WARNED.getAndSet(true)) {
                LEFT.set(0);
                OPEN.clear();
                LOG.warn("A send was made at {}, and nobody has subscribed to its Mono: nothing was sent. Return the Mono from"
                        + " the handler, join it to another one (then, and, flatMap), or subscribe() to it. This is said once.",
                        forgotten.where);
            }
        }
    }

    /** One send. */
    public static final class Watch extends WeakReference<Mono<?>> {
        private final String where;
        private final long madeNanos = System.nanoTime();

        private Watch(Mono<?> send, String where) {
            super(send, GARBAGE);
            this.where = where;
        }

        /** Somebody has subscribed to it. */
        public void subscribed() {
            OPEN.remove(this);
            clear();
        }
    }
}
