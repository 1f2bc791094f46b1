// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

/**
 * What a {@link NetioPublisher} does when a subscriber's queue is full, because it asks for less than is published. It is for
 * shared sources: one of {@link NetioPublisher#publishEach} is asked for what its only subscriber asks, and waits.
 */
public enum SlowPolicy {
    /** The source waits for it, and with the source every other subscriber of the same Flux. Nothing is lost. */
    BACKPRESSURE(io.reactivenetio.wire.SlowPolicy.BACKPRESSURE),

    /** What is published next does not reach it. */
    DROP_NEWEST(io.reactivenetio.wire.SlowPolicy.DROP_NEWEST),

    /** What has waited longest for it does not reach it. */
    DROP_OLDEST(io.reactivenetio.wire.SlowPolicy.DROP_OLDEST),

    /** Its stream fails, with code 5 of docs/wire-format.md; the others go on. */
    ERROR(io.reactivenetio.wire.SlowPolicy.ERROR);

    private final io.reactivenetio.wire.SlowPolicy wire;

    SlowPolicy(io.reactivenetio.wire.SlowPolicy wire) {
        this.wire = wire;
    }

    io.reactivenetio.wire.SlowPolicy wire() {
        return wire;
    }

    /** What a subscriber wishes; {@code otherwise} if it leaves it to the publisher. */
    static SlowPolicy of(io.reactivenetio.wire.SlowPolicy wished, SlowPolicy otherwise) {
        for (SlowPolicy policy : values()) {
            if (policy.wire == wished) {
                return policy;
            }
        }
        return otherwise;
    }
}
