// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.loop;

import java.util.Objects;

/**
 * The limits of an {@link EventLoop}. Immutable: each {@code with} method returns a changed copy.
 *
 * @param name appears in logs and is the name of the thread that {@link EventLoop#start()} makes
 * @param maxEventsPerTurn ready file descriptors served per turn; those left over come first in the next one
 * @param maxTasksPerTurn tasks of the inbox, and delayed tasks that are due, run per turn
 * @param spinNanos nanoseconds without work before the loop goes to sleep; 0 sleeps at once. Trades CPU for latency
 * @param slowTurnNanos a turn longer than this many nanoseconds is counted and logged
 */
public record EventLoopConfig(String name, int maxEventsPerTurn, int maxTasksPerTurn, long spinNanos, long slowTurnNanos) {
    private static final EventLoopConfig DEFAULTS = new EventLoopConfig("netio-loop", 64, 256, 0, 100_000_000);

    /** Throws IllegalArgumentException for a limit below 1 or a negative spin time. */
    public EventLoopConfig {
        Objects.requireNonNull(name, "name");
        require(maxEventsPerTurn >= 1, "maxEventsPerTurn", maxEventsPerTurn);
        require(maxTasksPerTurn >= 1, "maxTasksPerTurn", maxTasksPerTurn);
        require(spinNanos >= 0, "spinNanos", spinNanos);
        require(slowTurnNanos >= 1, "slowTurnNanos", slowTurnNanos);
    }

    /** Name "netio-loop", 64 events and 256 tasks per turn, no spinning, slow turns from 100 ms on. */
    public static EventLoopConfig defaults() {
        return DEFAULTS;
    }

    public EventLoopConfig withName(String newName) {
        return new EventLoopConfig(newName, maxEventsPerTurn, maxTasksPerTurn, spinNanos, slowTurnNanos);
    }

    public EventLoopConfig withMaxEventsPerTurn(int events) {
        return new EventLoopConfig(name, events, maxTasksPerTurn, spinNanos, slowTurnNanos);
    }

    public EventLoopConfig withMaxTasksPerTurn(int tasks) {
        return new EventLoopConfig(name, maxEventsPerTurn, tasks, spinNanos, slowTurnNanos);
    }

    public EventLoopConfig withSpinNanos(long nanos) {
        return new EventLoopConfig(name, maxEventsPerTurn, maxTasksPerTurn, nanos, slowTurnNanos);
    }

    public EventLoopConfig withSlowTurnNanos(long nanos) {
        return new EventLoopConfig(name, maxEventsPerTurn, maxTasksPerTurn, spinNanos, nanos);
    }

    private static void require(boolean holds, String what, long value) {
        if (!holds) {
            throw new IllegalArgumentException(what + " is " + value);
        }
    }
}
