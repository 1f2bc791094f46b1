// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.pubsub;

import io.reactivenetio.api.SlowPolicy;
import io.reactivenetio.api.Tags;
import io.reactivenetio.transport.backend.LogBudget;
import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/** What a publisher counts, and the queues of its subscriptions, which are looked at when somebody asks. Any thread. */
final class PublisherCounters {
    private final LogBudget log;
    /** The queues of each open subscription, none of which changes its list any more. Guarded by itself. */
    private final Set<List<SubscriberQueue>> open = Collections.newSetFromMap(new IdentityHashMap<>());
    private final LongAdder droppedNewest = new LongAdder();
    private final LongAdder droppedOldest = new LongAdder();
    private final LongAdder undelivered = new LongAdder();
    private final AtomicLong tooSlow = new AtomicLong();

    /** {@code log}: the publisher's. */
    PublisherCounters(LogBudget log) {
        this.log = log;
    }

    void joined(List<SubscriberQueue> queues) {
        synchronized (open) {
            open.add(queues);
        }
    }

    void left(List<SubscriberQueue> queues) {
        synchronized (open) {
            open.remove(queues);
        }
    }

    /** Messages were dropped for one subscription, and it is told; or it is over. */
    void dropped(SlowPolicy policy, long messages) {
        (policy == SlowPolicy.DROP_NEWEST ? droppedNewest : droppedOldest).add(messages);
    }

    /** Messages were taken from a source, and no subscription has got them or will get them. */
    void undelivered(long messages) {
        if (messages > 0) {
            undelivered.add(messages);
        }
    }

    /** A subscription to {@code tags} is ended because it was too slow. */
    void tooSlow(Tags tags, String text) {
        tooSlow.incrementAndGet();
        log.warn("a subscription to {} is ended: {}", tags, text);
    }

    /** {@code kept} is how many messages the sources keep for their next subscribers. */
    PublisherStatistics statistics(long published, long kept) {
        Collection<List<SubscriberQueue>> subscriptions;
        synchronized (open) {
            subscriptions = List.copyOf(open);
        }
        int slow = 0;
        long waiting = 0;
        long capacity = 0;
        double fullest = 0;
        for (List<SubscriberQueue> queues : subscriptions) {
            double fill = 0;
            for (SubscriberQueue queue : queues) {
                int here = queue.waiting();
                waiting += here;
                capacity += queue.room();
                fill = Math.max(fill, (double) here / queue.room());
            }
            slow += fill > SubscriberQueue.SLOW ? 1 : 0;
            fullest = Math.max(fullest, fill);
        }
        return new PublisherStatistics(subscriptions.size(), published, droppedNewest.sum(), droppedOldest.sum(),
                tooSlow.get(), slow, waiting, capacity, Math.min(1, fullest), undelivered.sum(), kept);
    }
}
