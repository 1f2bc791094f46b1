// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.pubsub;

import io.reactivenetio.api.TaggedMessage;
import io.reactivenetio.api.Tags;

/**
 * A message with its number.
 *
 * @param tags the tags of the subscription
 * @param run the run of the source
 * @param sequence how many messages the source published in this run before this one: the first has the number 0
 * @param message the message, whose payload is the receiver's own
 */
public record SequencedMessage(Tags tags, long run, long sequence, TaggedMessage message) implements SequencedEvent {

    /** Where a reader is that has this message. */
    public Position position() {
        return new Position(run, sequence);
    }
}
