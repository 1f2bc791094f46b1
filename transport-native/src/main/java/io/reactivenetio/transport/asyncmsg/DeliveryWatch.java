// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.asyncmsg;

import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.loop.RepeatedDelay;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Looks for acknowledgements, of which the kernel does not tell: soon at first, then ever more seldom while none comes, on one
 * timer for all connections. Allocates nothing once it has seen as many connections as there are. Confined to the loop.
 */
final class DeliveryWatch implements Runnable {
    private static final long SHORTEST_MICROS = 100;
    private static final long LONGEST_MICROS = 20_000;

    private final RepeatedDelay delay;
    private List<DeliveryQueue> waiting = new ArrayList<>();
    private List<DeliveryQueue> spare = new ArrayList<>();
    private long pauseMicros = SHORTEST_MICROS;
    private boolean closed;

    DeliveryWatch(EventLoop loop) {
        delay = loop.repeatedDelay(this);
    }

    /** {@code queue} has something unacknowledged; {@code fresh}, if that is so since now. */
    void add(DeliveryQueue queue, boolean fresh) {
        if (closed) {
            return;
        }
        if (!queue.isWatched()) {
            queue.watched(true);
            waiting.add(queue);
        }
        boolean sooner = fresh && pauseMicros > SHORTEST_MICROS; // one that waits long must not hold up one that has just begun
        if (fresh) {
            pauseMicros = SHORTEST_MICROS;
        }
        if (sooner || !delay.isArmed()) {
            delay.arm(pauseMicros, TimeUnit.MICROSECONDS);
        }
    }

    @Override
    public void run() {
        List<DeliveryQueue> now = waiting;
        waiting = spare;
        spare = now;
        pauseMicros = Math.min(2 * pauseMicros, LONGEST_MICROS);
        for (int i = 0; i < now.size(); i++) {
            now.get(i).watched(false);
        }
        try {
            for (int i = 0; i < now.size(); i++) {
                now.get(i).checkLater();
            }
        } finally {
            now.clear();
        }
    }

    void close() {
        closed = true;
        waiting.clear();
        delay.cancel();
    }
}
