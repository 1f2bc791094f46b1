// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.pubsub;

import io.reactivenetio.framing.stream.StreamSourcePort;
import io.reactivenetio.loop.DelayedTask;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Tells a subscription that it is slow. It is when one of its queues has been more than half full at two looks, and not empty
 * between them. It has caught up when each queue has been empty. While it is slow, it is told how many messages wait. A queue
 * that a burst fills, and the subscription empties at once, is not slow. On the loop.
 */
final class SlowWatch implements Runnable {
    private static final long FIRST_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long NEXT_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final List<SubscriberQueue> queues;
    private final StreamSourcePort port;
    private @Nullable DelayedTask due;
    /** How many messages the subscription was last told to wait; 0 if it is not slow. */
    private int told;

    SlowWatch(List<SubscriberQueue> queues, StreamSourcePort port) {
        this.queues = queues;
        this.port = port;
    }

    /** There may be more in the queues than before. */
    void messagesCame() {
        if (due == null) {
            for (SubscriberQueue queue : queues) {
                if (isFilled(queue)) {
                    queues.forEach(SubscriberQueue::takeEmptied);
                    lookAfter(FIRST_NANOS);
                    return;
                }
            }
        }
    }

    private static boolean isFilled(SubscriberQueue queue) {
        return queue.waiting() > queue.capacity() * SubscriberQueue.SLOW;
    }

    @Override
    public void run() {
        due = null;
        boolean filled = false;
        SubscriberQueue fullest = null;
        int most = 0;
        for (SubscriberQueue queue : queues) {
            int waiting = queue.waiting();
            filled |= isFilled(queue);
            if (!queue.takeEmptied() && waiting > most && (told > 0 || isFilled(queue))) {
                most = waiting;
                fullest = queue;
            }
        }
        if (most != told) {
            told = most;
            port.queued(most, (fullest == null ? queues.getFirst() : fullest).capacity());
        }
        if (filled || told > 0) {
            lookAfter(NEXT_NANOS);
        }
    }

    private void lookAfter(long nanos) {
        try {
            due = port.loop().schedule(this, nanos, TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException terminated) {
            // the subscription ends with the loop
        }
    }

    void close() {
        DelayedTask delayed = due;
        if (delayed != null) {
            due = null;
            delayed.cancel();
        }
    }
}
