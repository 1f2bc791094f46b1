// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.pubsub;

import io.reactivenetio.wire.SlowPolicyCode;
import org.jspecify.annotations.Nullable;

/**
 * What a {@link NetioPublisher} does when a subscriber's queue is full, because the subscriber asks for less than is published.
 * It counts for shared sources only. A source of {@link NetioPublisher#publishEach} has one subscriber and always waits for it.
 */
public enum SlowPolicy {
    /** The source waits for the subscriber, and with it every other subscriber of the source. Nothing is lost. */
    BACKPRESSURE(SlowPolicyCode.BACKPRESSURE),

    /** The next messages do not reach the subscriber until there is room in its queue. */
    DROP_NEWEST(SlowPolicyCode.DROP_NEWEST),

    /** The messages that have waited longest do not reach the subscriber. */
    DROP_OLDEST(SlowPolicyCode.DROP_OLDEST),

    /** The subscriber's stream fails, with code 5 of docs/wire-format.md. Other subscribers go on. */
    ERROR(SlowPolicyCode.ERROR);

    private final int code;

    SlowPolicy(int code) {
        this.code = code;
    }

    /** What a subscriber says on the wire that wishes {@code wished}, or that leaves it to the publisher if that is null. */
    static int code(@Nullable SlowPolicy wished) {
        return wished == null ? SlowPolicyCode.PUBLISHER : wished.code;
    }

    /** The policy of this code, or {@code otherwise} if the subscriber leaves it to the publisher. */
    static SlowPolicy of(int code, SlowPolicy otherwise) {
        for (SlowPolicy policy : values()) {
            if (policy.code == code) {
                return policy;
            }
        }
        return otherwise;
    }
}
