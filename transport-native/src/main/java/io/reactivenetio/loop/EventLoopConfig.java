// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.loop;

import io.reactivenetio.ffm.Affinity;
import java.util.Objects;

/**
 * The limits of an {@link EventLoop}, and what its thread is like. Immutable: each {@code with} method returns a changed copy.
 *
 * @param name appears in logs and is the name of the thread that {@link EventLoop#start()} makes
 * @param maxEventsPerTurn ready file descriptors served per turn; those left over come first in the next one
 * @param maxTasksPerTurn tasks of the inbox, and delayed tasks that are due, run per turn; fewer if those of the inbox take
 *        longer than a millisecond
 * @param spinNanos nanoseconds without work before the loop goes to sleep, whatever it expects. Trades CPU for latency
 * @param adaptiveSpinNanos the same, but only while work comes so soon, on average, that a sleep is not worth it: within twice
 *        what a wake-up takes, and within this time. Where several are set, the longest one holds
 * @param taskSpinNanos the same, but only while the work is tasks of other threads, such as the demand of a Scheduler's thread
 * @param slowTurnNanos a turn longer than this many nanoseconds is counted and logged
 * @param cpu the CPU that the thread of {@link EventLoop#start()} runs on; {@link #ANY_CPU} leaves that to the kernel
 * @param daemon whether the thread of {@link EventLoop#start()} lets the JVM end
 * @param mechanism how the loop waits, and how plain TCP reads and writes on it
 */
public record EventLoopConfig(String name, int maxEventsPerTurn, int maxTasksPerTurn, long spinNanos, long adaptiveSpinNanos,
        long taskSpinNanos, long slowTurnNanos, int cpu, boolean daemon, LoopMechanism mechanism) {
    /** The {@link #cpu} of a loop that is bound to none. */
    public static final int ANY_CPU = -1;

    private static final EventLoopConfig DEFAULTS =
            new EventLoopConfig("netio-loop", 64, 256, 0, 0, 20_000, 100_000_000,
                    ANY_CPU, true, LoopMechanism.EPOLL);

    /**
     * Throws IllegalArgumentException for a limit below 1, a negative spin time, or a CPU that no Linux has: whether this machine
     * has it, and the process may use it, is only known when the thread starts.
     */
    public EventLoopConfig {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(mechanism, "mechanism");
        require(maxEventsPerTurn >= 1, "maxEventsPerTurn", maxEventsPerTurn);
        require(maxTasksPerTurn >= 1, "maxTasksPerTurn", maxTasksPerTurn);
        require(spinNanos >= 0, "spinNanos", spinNanos);
        require(adaptiveSpinNanos >= 0, "adaptiveSpinNanos", adaptiveSpinNanos);
        require(taskSpinNanos >= 0, "taskSpinNanos", taskSpinNanos);
        require(slowTurnNanos >= 1, "slowTurnNanos", slowTurnNanos);
        if (cpu < ANY_CPU || cpu > Affinity.LAST_CPU) {
            throw new IllegalArgumentException("CPU " + cpu + ": the CPUs of Linux have numbers from 0 to " + Affinity.LAST_CPU);
        }
    }

    /**
     * Name "netio-loop", 64 events and 256 tasks per turn, spinning for 20 us and for tasks only, slow turns from 100 ms on, a
     * daemon on any CPU, epoll. Another mechanism can be named by the system property {@link LoopMechanism#PROPERTY};
     * IllegalArgumentException if that names none.
     */
    public static EventLoopConfig defaults() {
        return DEFAULTS.withMechanism(LoopMechanism.configured());
    }

    public EventLoopConfig withName(String newName) {
        return new EventLoopConfig(newName, maxEventsPerTurn, maxTasksPerTurn, spinNanos, adaptiveSpinNanos,
                taskSpinNanos, slowTurnNanos, cpu, daemon, mechanism);
    }

    public EventLoopConfig withMaxEventsPerTurn(int events) {
        return new EventLoopConfig(name, events, maxTasksPerTurn, spinNanos, adaptiveSpinNanos, taskSpinNanos,
                slowTurnNanos, cpu, daemon, mechanism);
    }

    public EventLoopConfig withMaxTasksPerTurn(int tasks) {
        return new EventLoopConfig(name, maxEventsPerTurn, tasks, spinNanos, adaptiveSpinNanos, taskSpinNanos,
                slowTurnNanos, cpu, daemon, mechanism);
    }

    public EventLoopConfig withSpinNanos(long nanos) {
        return new EventLoopConfig(name, maxEventsPerTurn, maxTasksPerTurn, nanos, adaptiveSpinNanos, taskSpinNanos,
                slowTurnNanos, cpu, daemon, mechanism);
    }

    /** Sets it for work of all kinds, tasks as well. */
    public EventLoopConfig withAdaptiveSpinNanos(long nanos) {
        return new EventLoopConfig(name, maxEventsPerTurn, maxTasksPerTurn, spinNanos, nanos, nanos, slowTurnNanos, cpu,
                daemon, mechanism);
    }

    public EventLoopConfig withSlowTurnNanos(long nanos) {
        return new EventLoopConfig(name, maxEventsPerTurn, maxTasksPerTurn, spinNanos, adaptiveSpinNanos, taskSpinNanos,
                nanos, cpu, daemon, mechanism);
    }

    public EventLoopConfig withCpu(int number) {
        return new EventLoopConfig(name, maxEventsPerTurn, maxTasksPerTurn, spinNanos, adaptiveSpinNanos, taskSpinNanos,
                slowTurnNanos, number, daemon, mechanism);
    }

    public EventLoopConfig withDaemon(boolean value) {
        return new EventLoopConfig(name, maxEventsPerTurn, maxTasksPerTurn, spinNanos, adaptiveSpinNanos, taskSpinNanos,
                slowTurnNanos, cpu, value, mechanism);
    }

    public EventLoopConfig withMechanism(LoopMechanism value) {
        return new EventLoopConfig(name, maxEventsPerTurn, maxTasksPerTurn, spinNanos, adaptiveSpinNanos, taskSpinNanos,
                slowTurnNanos, cpu, daemon, value);
    }

    private static void require(boolean holds, String what, long value) {
        if (!holds) {
            throw new IllegalArgumentException(what + " is " + value);
        }
    }
}
