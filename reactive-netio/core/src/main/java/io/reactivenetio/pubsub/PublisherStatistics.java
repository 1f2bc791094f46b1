// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.pubsub;

import io.reactivenetio.api.SlowPolicy;

/**
 * What a {@link NetioPublisher} has done until one moment. Figures of "now" may be of slightly different instants.
 *
 * @param subscribers subscriptions that are open now
 * @param published messages that its sources have published, each counted once, however many subscriptions got it
 * @param droppedNewest messages dropped by {@link SlowPolicy#DROP_NEWEST}, counted once for each subscription that did not get
 *     them
 * @param droppedOldest messages dropped by {@link SlowPolicy#DROP_OLDEST}, counted likewise
 * @param tooSlow subscriptions that were ended with {@code TOO_SLOW}, by {@link SlowPolicy#ERROR} or after
 *     {@link NetioPublisher.Builder#stallTimeout}
 * @param slow subscriptions that are slow now: a queue of theirs is more than half full
 * @param waiting messages that wait in the queues of all subscriptions now
 * @param capacity how many messages these queues have room for together, by the size of those that came
 * @param fullest how full the fullest of these queues is, from 0 to 1
 * @param undelivered messages that were taken from a source and that no subscription got or will get, each counted once: they
 *     waited for one that ended, and could not be kept for the next
 * @param kept messages that shared sources with BACKPRESSURE keep now for the next subscription, because the last one ended
 *     before it got them
 */
public record PublisherStatistics(int subscribers, long published, long droppedNewest, long droppedOldest, long tooSlow,
        int slow, long waiting, long capacity, double fullest, long undelivered, long kept) {

    /** Messages dropped under any policy, counted once for each subscription that did not get them. */
    public long dropped() {
        return droppedNewest + droppedOldest;
    }
}
