// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.loop.thread;

import io.reactivenetio.ffm.Affinity;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Tells of a turn that takes too long while it lasts, with the stack of the loop's thread: one thread looks at all loops that
 * have a thread of their own, a few times in the least of their limits. The loops do nothing for it. What takes long because a
 * program starts is left out: a turn in the first seconds of a loop, and one that loads classes.
 */
public final class LoopWatchdog {
    private static final Logger LOG = LoopLog.LOG;
    private static final long LOOKS_PER_LIMIT = 4;
    private static final long SHORTEST_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long LONGEST_NANOS = TimeUnit.MILLISECONDS.toNanos(25);
    /** While a loop is younger than that, it is warming up; what loads classes for longer is told of. */
    private static final long WARM_UP_NANOS = TimeUnit.SECONDS.toNanos(2);
    /** Classes whose methods load, link and initialize others. */
    private static final List<String> LOADERS = List.of("java.lang.ClassLoader", "java.lang.invoke.MethodHandleNatives",
            "jdk.internal.loader.", "org.springframework.boot.loader.");

    private static final Set<Watch> WATCHES = ConcurrentHashMap.newKeySet();
    private static final Object LOCK = new Object();
    private static @Nullable Thread watcher;

    private LoopWatchdog() {
    }

    /**
     * Watches a loop that runs on {@code thread}, until {@link Watch#close}. Any thread.
     *
     * @param limitNanos a turn that is longer is told of
     * @param turns how many turns the loop has begun; any thread
     * @param asleep whether it sleeps or is about to; any thread
     */
    public static Watch watch(String loop, long limitNanos, LongSupplier turns, BooleanSupplier asleep, Thread thread) {
        Watch watch = new Watch(loop, limitNanos, turns, asleep, thread);
        synchronized (LOCK) {
            WATCHES.add(watch);
            if (watcher == null) {
                watcher = Thread.ofPlatform().daemon().name("netio-watchdog").unstarted(LoopWatchdog::look);
                Affinity.unbound(watcher::start);
            }
        }
        return watch;
    }

    /** Whether a stack is one of a thread that loads or initializes a class, which it does once. */
    static boolean loadsClasses(StackTraceElement[] stack) {
        for (StackTraceElement frame : stack) {
            if (frame.getMethodName().equals("<clinit>") || LOADERS.stream().anyMatch(frame.getClassName()::startsWith)) {
                return true;
            }
        }
        return false;
    }

    private static void look() {
        long last = System.nanoTime();
        while (true) {
            long pause = LONGEST_NANOS;
            for (Watch watch : WATCHES) {
                pause = Math.clamp(watch.limitNanos / LOOKS_PER_LIMIT, SHORTEST_NANOS, pause);
            }
            LockSupport.parkNanos(pause);
            long now = System.nanoTime();
            long passed = Math.min(now - last, 2 * pause); // a process that stood still did not take long for anything
            last = now;
            for (Watch watch : WATCHES) {
                watch.look(passed);
            }
            if (WATCHES.isEmpty()) {
                synchronized (LOCK) {
                    if (WATCHES.isEmpty()) {
                        watcher = null;
                        return;
                    }
                }
            }
        }
    }

    /** One loop. The watchdog's thread looks. */
    public static final class Watch {
        private static final long NONE = -2;

        private final String loop;
        private final long limitNanos;
        private final LongSupplier turns;
        private final BooleanSupplier asleep;
        private final Thread thread;
        private final long beganNanos = System.nanoTime();
        private long lastTurn = NONE;
        private long lastedNanos;
        private boolean told;
        private @Nullable Object work;
        private volatile long toldTurn = NONE;
        private volatile long excusedTurn = NONE;

        private Watch(String loop, long limitNanos, LongSupplier turns, BooleanSupplier asleep, Thread thread) {
            this.loop = loop;
            this.limitNanos = limitNanos;
            this.turns = turns;
            this.asleep = asleep;
            this.thread = thread;
        }

        /** What the loop is at; a plain write, which is seen soon enough. Loop thread. */
        public void working(@Nullable Object on) {
            work = on;
        }

        /** Whether this turn, the latest, was told of. Loop thread. */
        public boolean hasTold(long turn) {
            return toldTurn == turn || toldTurn == turn - 1; // it began before it was counted
        }

        /** Whether this turn, the latest, may be long without a word: the program starts, or loads classes. Loop thread. */
        public boolean isExcused(long turn) {
            return System.nanoTime() - beganNanos < WARM_UP_NANOS || excusedTurn == turn || excusedTurn == turn - 1;
        }

        private void look(long passedNanos) {
            long now = turns.getAsLong();
            boolean sleeps = asleep.getAsBoolean();
            if (now != lastTurn || sleeps) {
                lastTurn = sleeps ? NONE : now; // what it does when it has woken is counted from the next look on
                lastedNanos = 0;
                told = false;
                return;
            }
            lastedNanos += passedNanos;
            if (lastedNanos >= limitNanos && !told) {
                StackTraceElement[] stack = thread.getStackTrace();
                if (lastedNanos < WARM_UP_NANOS
                        && (System.nanoTime() - beganNanos < WARM_UP_NANOS || loadsClasses(stack))) {
                    excusedTurn = now; // and is looked at again
                    return;
                }
                told = true;
                toldTurn = now;
                tell(stack);
            }
        }

        private void tell(StackTraceElement[] stack) {
            Object on = work;
            StringBuilder text = new StringBuilder();
            for (StackTraceElement frame : stack) {
                text.append(System.lineSeparator()).append("\tat ").append(frame);
            }
            LOG.warn("Event loop {} has been in one turn for {} ms{}: everything else on it waits. A callback blocks or computes"
                    + " for long, or no CPU was free. Its thread is here:{}", loop,
                    TimeUnit.NANOSECONDS.toMillis(lastedNanos), on == null ? "" : ", " + describe(on), text);
        }

        private static String describe(Object on) {
            try {
                return on.toString();
            } catch (RuntimeException e) { // it is read while it changes
                return "at work on " + on.getClass().getSimpleName();
            }
        }

        public void close() {
            WATCHES.remove(this);
        }
    }
}
