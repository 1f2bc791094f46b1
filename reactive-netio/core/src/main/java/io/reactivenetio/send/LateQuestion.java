// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.send;

import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.loop.RepeatedDelay;
import io.reactivenetio.transport.backend.Endpoint;
import io.reactivenetio.transport.backend.NetworkBackend;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Asks for an acknowledgement after the last message, where the backend can do that. The acknowledgement of a message goes before
 * the peer's answer to it, and makes both sides work. So a send that goes on lets its messages leave without, and the question
 * follows once for all messages of a millisecond. A send that has ended asks at once, with its last message if that is possible.
 *
 * <p>A message that asks keeps its send buffer until the acknowledgement has come. On tcp that queues behind the peer's data,
 * which moves only while there is demand for it. If all buffers waited, an echo, whose demand comes from free send buffers,
 * would never move again. So at most half of the buffers wait, and none of those that connections share. On the loop.
 */
final class LateQuestion implements Runnable {
    static final long PAUSE_MICROS = 1_000;

    private final NetworkBackend backend;
    private final Endpoint endpoint;
    private final AcknowledgementTracker acknowledgements;
    /** Null if the backend cannot ask. */
    private final @Nullable RepeatedDelay delay;
    private final boolean shared;

    /** {@code shared}: other connections use its send buffers, too. Any thread. */
    LateQuestion(EventLoop loop, NetworkBackend backend, Endpoint endpoint, AcknowledgementTracker acknowledgements,
            boolean shared) {
        this.backend = backend;
        this.endpoint = endpoint;
        this.acknowledgements = acknowledgements;
        this.delay = backend.canAskForAcknowledgement(endpoint) ? loop.repeatedDelay(this) : null;
        this.shared = shared;
    }

    /**
     * Whether the last message of a turn, with this index, leaves without a request for an acknowledgement. {@code awaited}:
     * whether a send has ended, and waits for one.
     */
    boolean follows(BooleanSupplier awaited, int index) {
        return delay != null && (shared || !acknowledgements.admits(index)
                || acknowledgements.isWindowHalfFree() && !awaited.getAsBoolean());
    }

    /** The last message has left. Asks if it, or one before it, is to be acknowledged: at once or after a pause. */
    void follow(BooleanSupplier awaited) {
        if (delay == null || !acknowledgements.isOwed() || acknowledgements.isAsked()) {
            return;
        }
        if (!acknowledgements.isWindowHalfFree() || awaited.getAsBoolean()) {
            run();
        } else if (!delay.isArmed()) {
            delay.arm(PAUSE_MICROS, TimeUnit.MICROSECONDS);
        }
    }

    @Override
    public void run() {
        if (acknowledgements.isOwed() && !acknowledgements.isAsked()) {
            acknowledgements.asked();
            backend.askForAcknowledgement(endpoint); // the answer may come within this call
        }
    }

    /** The connection is over. */
    void close() {
        if (delay != null) {
            delay.cancel();
        }
    }
}
