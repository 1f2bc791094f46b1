// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.pubsub;

import io.reactivenetio.api.SlowPolicy;
import io.reactivenetio.api.Tags;

/**
 * What a publisher says of a subscription that is slow: how many messages wait for it in the fullest of its queues there. It is
 * slow when that queue has been more than half full for about half a second. It has caught up when the queue has been empty.
 *
 * @param tags the tags of the subscription
 * @param waiting how many messages wait; 0 if it has caught up
 * @param capacity how many may; then the publisher waits, or drops messages, or ends the subscription, as its
 *     {@link SlowPolicy} says
 */
public record Slow(Tags tags, int waiting, int capacity) {

    /** Whether the subscription is no longer slow. */
    public boolean isOver() {
        return waiting == 0;
    }
}
