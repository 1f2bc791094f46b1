// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.pubsub;

import io.reactivenetio.api.Tags;
import java.time.Instant;

/**
 * Messages that were published and did not reach a subscriber: all that it has heard of since it was told the last time, see
 * {@link NetioSubscriber#doOnMissed(java.time.Duration, java.util.function.Consumer)}.
 *
 * @param tags the tags of the subscription
 * @param dropped how many of them the publisher dropped because the subscriber was slow
 * @param missed how many of them were published, or lost on the way, while the subscriber had no connection
 * @param from when the subscriber heard of the first of them
 * @param until when these sums were made; the same as {@code from} if that was at once
 */
public record Missed(Tags tags, long dropped, long missed, Instant from, Instant until) {

    /** How many messages in all. */
    public long messages() {
        return dropped + missed;
    }
}
