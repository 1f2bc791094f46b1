// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.loop;

import io.reactivenetio.ffm.IoUring;
import io.reactivenetio.ffm.IoUringException;
import io.reactivenetio.ffm.NativeAccess;
import io.reactivenetio.loop.thread.LoopLog;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * How a loop waits, and how plain TCP reads and writes on it. Libfabric's queues have descriptors that epoll watches either way.
 * docs/tuning.md says when to choose which.
 */
public enum LoopMechanism {
    /** epoll(7): the kernel says what is ready, and each read and write is a system call. */
    EPOLL,
    /** io_uring(7): one system call takes all requests of a turn and waits for more. Where it is missing, that is an error. */
    IO_URING,
    /** io_uring where the kernel has it and allows it, else epoll, with one line in the log that says why. */
    AUTO;

    /** The system property that says what {@link EventLoopConfig#defaults} has: epoll, io_uring or auto. */
    public static final String PROPERTY = "io.reactivenetio.mechanism";

    private static final Logger LOG = LoopLog.LOG;
    private static final AtomicBoolean TOLD = new AtomicBoolean();

    /** What {@link #PROPERTY} says, or {@link #EPOLL}. Throws IllegalArgumentException if it says something else. */
    static LoopMechanism configured() {
        String value = System.getProperty(PROPERTY, EPOLL.name());
        for (LoopMechanism mechanism : values()) {
            if (mechanism.name().equalsIgnoreCase(value.replace('-', '_'))) {
                return mechanism;
            }
        }
        throw new IllegalArgumentException("-D" + PROPERTY + "=" + value + ": it can be epoll, io_uring or auto");
    }

    /** A ring for a loop of this mechanism, or null if that waits by epoll. Throws IoUringException if it has to have a ring. */
    @Nullable IoUring openRing() {
        if (this == EPOLL) {
            return null;
        }
        try {
            return RingIo.openRing();
        } catch (IoUringException e) {
            if (this == IO_URING) {
                throw e;
            }
            if (TOLD.compareAndSet(false, true)) {
                LOG.warn("Event loops use epoll: {}", e.getMessage());
            }
            return null;
        }
    }

    /** Why loops of this mechanism cannot be made on this machine, and what to do about it; empty if they can. Any thread. */
    public Optional<String> unavailability() {
        if (this != IO_URING) {
            return Optional.empty();
        }
        NativeAccess.require();
        try {
            RingIo.openRing().close();
            return Optional.empty();
        } catch (IoUringException e) {
            return Optional.ofNullable(e.getMessage());
        }
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
