// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.api;

/**
 * What a {@link io.reactivenetio.pubsub.NetioPublisher} does when a subscriber's queue is full, because the subscriber asks for
 * less than is published. It counts for shared sources only. A source of
 * {@link io.reactivenetio.pubsub.NetioPublisher#publishEach} has one subscriber and always waits for it.
 */
public enum SlowPolicy {
    /** The source waits for the subscriber, and with it every other subscriber of the source. Nothing is lost. */
    BACKPRESSURE,

    /** The next messages do not reach the subscriber until there is room in its queue. */
    DROP_NEWEST,

    /** The messages that have waited longest do not reach the subscriber. */
    DROP_OLDEST,

    /** The subscriber's stream fails, with {@code TOO_SLOW}. Other subscribers go on. */
    ERROR
}
