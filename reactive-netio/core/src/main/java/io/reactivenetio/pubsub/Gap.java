// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.pubsub;

import io.reactivenetio.api.Tags;

/**
 * Messages that were published and did not reach the subscriber. They were dropped because it was slow, they were lost with a
 * connection, or they were published while there was none.
 *
 * @param tags the tags of the subscription
 * @param run the run of the source
 * @param from the number of the first of them
 * @param to the number of the last of them
 */
public record Gap(Tags tags, long run, long from, long to) implements SequencedEvent {

    /** @throws IllegalArgumentException if the numbers are negative or not in order */
    public Gap {
        if (from < 0 || to < from) {
            throw new IllegalArgumentException("a gap from " + from + " to " + to);
        }
    }

    /** How many messages are missing; at least 1. */
    public long messages() {
        return to - from + 1;
    }
}
