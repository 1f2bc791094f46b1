// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.libfabric;

import io.reactivenetio.loop.DelayedTask;
import io.reactivenetio.transport.Endpoint;
import io.reactivenetio.transport.NetioException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Finds out that a peer has vanished without a word: its host is off, or the way to it is cut, which verbs never tells a
 * connection that sends nothing. A peer that has been silent for a third of the time is asked by a write of no bytes, which its
 * network card acknowledges, without a receive buffer and without its program; one that is busy or stopped has not vanished.
 *
 * <p>While sends are under way nothing is asked: a question behind sends that wait for receive buffers would have to wait as
 * well, and the card repeats those sends itself until it gives up. Confined to the loop.
 */
final class KeepAlive {
    private static final int PARTS = 3;

    /** The connection. */
    interface Owner {
        /** Asks. False if that is not possible now. */
        boolean ask();

        /** Takes what has come and was not looked at yet, which may call {@link #heard}. */
        void listen();

        void close(@Nullable NetioException reason);

        boolean isClosed();

        Endpoint handle();
    }

    /** Runs a task after a pause; null if it never will. */
    interface Clock {
        @Nullable DelayedTask after(long pause, TimeUnit unit, Runnable task);
    }

    private final Owner owner;
    private final Clock clock;
    private final long nanos;
    private @Nullable DelayedTask next;
    private boolean heard;
    private boolean asked;

    /** {@code limit}: how long a peer that has vanished may go unnoticed. */
    KeepAlive(Owner owner, Duration limit, Clock clock) {
        this.owner = owner;
        this.clock = clock;
        this.nanos = TimeUnit.NANOSECONDS.convert(limit);
    }

    /** The connection is up: watches it from now on, if that is needed. */
    void start(boolean needed) {
        if (needed && !owner.isClosed()) {
            schedule();
        }
    }

    /** Something has come from the peer, if only an acknowledgement. */
    void heard() {
        heard = true;
    }

    void stop() {
        DelayedTask task = next;
        if (task != null) {
            task.cancel();
        }
    }

    private void schedule() {
        next = clock.after(Math.max(1, nanos / PARTS), TimeUnit.NANOSECONDS, this::look);
    }

    private void look() {
        if (asked && !heard) {
            owner.listen(); // the answer may have come while the loop did something else
        }
        if (owner.isClosed()) {
            return;
        }
        if (asked && !heard) {
            owner.close(new NetioException(owner.handle() + ": the peer has vanished: for "
                    + TimeUnit.NANOSECONDS.toMillis(nanos) * 2 / PARTS
                    + " ms its network card has sent nothing and answered nothing"));
            return;
        }
        asked = !heard && owner.ask();
        heard = false;
        schedule();
    }
}
