// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.kafka;

import io.reactivenetio.pubsub.Gap;
import io.reactivenetio.pubsub.Position;
import java.util.List;

/**
 * How far a topic has the messages of a source.
 *
 * @param position the last of them
 * @param missing numbers that are missing among the last ones before it, as many as could be in flight: they were missing on
 *     their way to the sink already, or were in flight to another partition when the sink's program ended
 */
public record KafkaPosition(Position position, List<Gap> missing) {

    /** How many messages are missing among the last ones. */
    public long missingMessages() {
        return missing.stream().mapToLong(Gap::messages).sum();
    }
}
