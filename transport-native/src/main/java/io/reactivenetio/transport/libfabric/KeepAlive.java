// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.libfabric;

import io.reactivenetio.loop.DelayedTask;
import io.reactivenetio.transport.backend.Endpoint;
import io.reactivenetio.transport.exceptions.NetioException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Finds out that a peer has vanished: its host is off, or the network to it is cut. verbs never tells that to a connection that
 * sends nothing. A peer that has been silent for a third of the time is probed with an RDMA write of no bytes. Its network card
 * acknowledges that without a receive buffer and without its program. So a peer that is busy or stopped has not vanished.
 *
 * <p>While sends are under way there is no probe. It would have to wait behind sends that wait for receive buffers. The card
 * repeats those sends itself until it gives up. Confined to the loop.
 */
final class KeepAlive {
    private static final int PARTS = 3;

    /** The connection. */
    interface Owner {
        /** Sends a probe. Returns false if that is not possible now. */
        boolean probe();

        /** Reads the completions that have arrived. That may call {@link #peerWasActive}. */
        void drainCompletions();

        void close(@Nullable NetioException reason);

        boolean isClosed();

        Endpoint handle();
    }

    /** Runs a task after a pause. The result is null if it never will. */
    interface Clock {
        @Nullable DelayedTask after(long pause, TimeUnit unit, Runnable task);
    }

    private final Owner owner;
    private final Clock clock;
    private final long nanos;
    private @Nullable DelayedTask next;
    private boolean peerActive;
    private boolean probed;

    /** {@code limit}: how long a peer that has vanished may go unnoticed. */
    KeepAlive(Owner owner, Duration limit, Clock clock) {
        this.owner = owner;
        this.clock = clock;
        this.nanos = TimeUnit.NANOSECONDS.convert(limit);
    }

    /** The connection is up. If {@code needed}, it is watched from now on. */
    void start(boolean needed) {
        if (needed && !owner.isClosed()) {
            schedule();
        }
    }

    /** Something has arrived from the peer, if only an acknowledgement. */
    void peerWasActive() {
        peerActive = true;
    }

    void stop() {
        DelayedTask task = next;
        if (task != null) {
            task.cancel();
        }
    }

    private void schedule() {
        next = clock.after(Math.max(1, nanos / PARTS), TimeUnit.NANOSECONDS, this::check);
    }

    private void check() {
        if (probed && !peerActive) {
            owner.drainCompletions(); // the answer may have come while the loop did something else
        }
        if (owner.isClosed()) {
            return;
        }
        if (probed && !peerActive) {
            owner.close(new NetioException(owner.handle() + ": the peer has vanished: for "
                    + TimeUnit.NANOSECONDS.toMillis(nanos) * 2 / PARTS
                    + " ms its network card has sent nothing and answered nothing"));
            return;
        }
        probed = !peerActive && owner.probe();
        peerActive = false;
        schedule();
    }
}
