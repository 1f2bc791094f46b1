// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.flink;

import io.reactivenetio.pubsub.SequencedEvent;
import org.apache.flink.api.common.eventtime.TimestampAssigner;

/**
 * An event as an origin has it.
 *
 * @param millis when it was recorded, in milliseconds since 1970; {@link #NO_TIME} of a live event
 */
record OriginEvent(SequencedEvent event, long millis) {
    static final long NO_TIME = TimestampAssigner.NO_TIMESTAMP;

    static OriginEvent live(SequencedEvent event) {
        return new OriginEvent(event, NO_TIME);
    }
}
