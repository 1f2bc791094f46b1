// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.asyncmsg;

import io.reactivenetio.loop.DelayedTask;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Looks for acknowledgements, of which the kernel does not tell: soon at first, then ever more seldom while none comes, on one
 * timer for all connections. Confined to the loop.
 */
final class DeliveryWatch implements Runnable {
    private static final long SHORTEST_MICROS = 100;
    private static final long LONGEST_MICROS = 20_000;

    private final AsyncmsgBackend backend;
    private final Set<DeliveryQueue> waiting = new LinkedHashSet<>();
    private long pauseMicros = SHORTEST_MICROS;
    private @Nullable DelayedTask next;
    private boolean closed;

    DeliveryWatch(AsyncmsgBackend backend) {
        this.backend = backend;
    }

    /** {@code queue} has something unacknowledged; {@code fresh}, if that is so since now. */
    void add(DeliveryQueue queue, boolean fresh) {
        if (closed) {
            return;
        }
        waiting.add(queue);
        DelayedTask scheduled = next;
        if (scheduled != null && fresh && pauseMicros > SHORTEST_MICROS) {
            scheduled.cancel(); // one that waits long must not hold up one that has just begun
            scheduled = null;
        }
        if (fresh) {
            pauseMicros = SHORTEST_MICROS;
        }
        if (scheduled == null) {
            next = backend.after(pauseMicros, TimeUnit.MICROSECONDS, this);
        }
    }

    @Override
    public void run() {
        next = null;
        List<DeliveryQueue> now = new ArrayList<>(waiting);
        waiting.clear();
        pauseMicros = Math.min(2 * pauseMicros, LONGEST_MICROS);
        for (DeliveryQueue queue : now) {
            queue.checkLater();
        }
    }

    void close() {
        closed = true;
        waiting.clear();
        DelayedTask scheduled = next;
        if (scheduled != null) {
            scheduled.cancel();
        }
    }
}
