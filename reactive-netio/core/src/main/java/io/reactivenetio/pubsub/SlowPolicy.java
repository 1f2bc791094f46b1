// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.pubsub;

import org.jspecify.annotations.Nullable;

/**
 * What a {@link NetioPublisher} does when a subscriber's queue is full, because the subscriber asks for less than is published.
 * It counts for shared sources only. A source of {@link NetioPublisher#publishEach} has one subscriber and always waits for it.
 */
public enum SlowPolicy {
    /** The source waits for the subscriber, and with it every other subscriber of the source. Nothing is lost. */
    BACKPRESSURE(io.reactivenetio.wire.SlowPolicy.BACKPRESSURE),

    /** The next messages do not reach the subscriber until there is room in its queue. */
    DROP_NEWEST(io.reactivenetio.wire.SlowPolicy.DROP_NEWEST),

    /** The messages that have waited longest do not reach the subscriber. */
    DROP_OLDEST(io.reactivenetio.wire.SlowPolicy.DROP_OLDEST),

    /** The subscriber's stream fails, with code 5 of docs/wire-format.md. Other subscribers go on. */
    ERROR(io.reactivenetio.wire.SlowPolicy.ERROR);

    private final io.reactivenetio.wire.SlowPolicy wire;

    SlowPolicy(io.reactivenetio.wire.SlowPolicy wire) {
        this.wire = wire;
    }

    /** What a subscriber says on the wire that wishes {@code wished}, or that leaves it to the publisher if that is null. */
    static io.reactivenetio.wire.SlowPolicy wire(@Nullable SlowPolicy wished) {
        return wished == null ? io.reactivenetio.wire.SlowPolicy.PUBLISHER : wished.wire;
    }

    /** The policy that a subscriber wishes, or {@code otherwise} if the subscriber leaves it to the publisher. */
    static SlowPolicy of(io.reactivenetio.wire.SlowPolicy wished, SlowPolicy otherwise) {
        for (SlowPolicy policy : values()) {
            if (policy.wire == wished) {
                return policy;
            }
        }
        return otherwise;
    }
}
