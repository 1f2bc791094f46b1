// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.tcp;

import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.loop.RepeatedDelay;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Polls the sockets for acknowledgements, because the kernel has no event for them. It polls soon at first, then less often while
 * none arrives. Where acknowledgements come with the peer's data, as those of an echo do, the first poll is later: it would wake
 * the loop in vain. There is one timer for all connections. The poller allocates nothing once its lists are long enough. Confined
 * to the loop.
 */
final class DeliveryPoller implements Runnable {
    static final long SHORTEST_MICROS = 100;
    private static final long LONGEST_MICROS = 20_000;

    private final RepeatedDelay delay;
    private List<DeliveryQueue> waiting = new ArrayList<>();
    private List<DeliveryQueue> spare = new ArrayList<>();
    private long pauseMicros = SHORTEST_MICROS;
    private boolean closed;

    DeliveryPoller(EventLoop loop) {
        delay = loop.repeatedDelay(this);
    }

    /** Adds a queue with unacknowledged messages. {@code fresh} says that they have changed: the poll comes soon then. */
    void add(DeliveryQueue queue, boolean fresh) {
        if (closed) {
            return;
        }
        if (!queue.isQueued()) {
            queue.queued(true);
            waiting.add(queue);
        }
        boolean sooner = fresh && pauseMicros > queue.firstPauseMicros(); // one that waits long must not delay one that has begun
        boolean arms = sooner || !delay.isArmed();
        if (fresh && arms) {
            pauseMicros = queue.firstPauseMicros();
        }
        if (arms) {
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
            now.get(i).queued(false);
        }
        try {
            for (int i = 0; i < now.size(); i++) {
                now.get(i).polled();
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
