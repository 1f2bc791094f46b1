// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.backend;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Warnings that a peer can cause, {@value #LINES} a minute at most for each logger. The last of these says that others are left
 * out, and the first one of a later minute says how many there were. So a port scan, or a restart of a thousand clients, fills no
 * disk. There is one budget for each logger in the JVM. Any thread.
 */
public final class LogBudget {
    /** How many lines a logger writes in a minute. */
    public static final int LINES = 60;

    private static final long MINUTE_NANOS = TimeUnit.MINUTES.toNanos(1);
    private static final Map<String, LogBudget> BUDGETS = new ConcurrentHashMap<>();

    private final Logger log;
    private final LongSupplier nanoTime;
    private boolean begun;
    private long beganNanos;
    private int written;
    private long leftOut;

    LogBudget(Logger log, LongSupplier nanoTime) {
        this.log = log;
        this.nanoTime = nanoTime;
    }

    /** The budget of the logger with this name. */
    public static LogBudget of(String logger) {
        return BUDGETS.computeIfAbsent(logger, name -> new LogBudget(LoggerFactory.getLogger(name), System::nanoTime));
    }

    /** The budget of what tells of peers that were refused, for which there is no callback. */
    public static LogBudget ofRefused() {
        return of("io.reactivenetio.refused");
    }

    /** The budget of a class's logger. */
    public static LogBudget of(Class<?> owner) {
        return of(owner.getName());
    }

    /** Begins a new minute for all loggers, for tests that look at what is logged. */
    public static void reset() {
        BUDGETS.values().forEach(LogBudget::begin);
    }

    private synchronized void begin() {
        begun = false;
        leftOut = 0;
    }

    /** Logs a warning in the manner of SLF4J. A Throwable behind the values of the format is logged with its stack trace. */
    public void warn(String format, @Nullable Object... values) {
        hasWarned(format, values);
    }

    /**
     * Warns as {@link #warn} does. Returns whether it was written: false if it was only counted, or such a level is not
     * logged.
     */
    public boolean hasWarned(String format, @Nullable Object... values) {
        if (!log.isWarnEnabled()) {
            return false;
        }
        long before;
        boolean last;
        long secondsLeft;
        synchronized (this) {
            long now = nanoTime.getAsLong();
            before = 0;
            if (!begun || now - beganNanos >= MINUTE_NANOS) {
                begun = true;
                before = leftOut;
                beganNanos = now;
                written = 0;
                leftOut = 0;
            }
            if (written == LINES) {
                leftOut++;
                return false;
            }
            last = ++written == LINES;
            secondsLeft = TimeUnit.NANOSECONDS.toSeconds(MINUTE_NANOS - (now - beganNanos)) + 1;
        }
        if (before > 0) {
            log.warn("{} warnings of this logger were left out before this one", before);
        }
        log.warn(format, values);
        if (last) {
            log.warn("These are {} warnings in a minute: those of the next {} s are only counted", LINES, secondsLeft);
        }
        return true;
    }
}
