// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.annotation.listener;

import io.reactivenetio.pubsub.NetioSubscriber;
import io.reactivenetio.pubsub.Tags;
import io.reactivenetio.spring.annotation.NetioErrorHandler;
import java.time.Duration;
import java.util.List;

/**
 * What a listener's annotation says, with everything looked up.
 *
 * @param concurrency how many messages are worked on at a time
 * @param prefetch how many more wait
 * @param retries how often a message is tried again
 * @param retryDelay before the first of these times
 * @param errors who is told what has failed
 * @param keepsMessages whether a message may be needed again after a call
 * @param blocks whether the method is called on virtual threads
 */
record ListenerSettings(String id, NetioSubscriber subscriber, List<Tags> tags, int concurrency, int prefetch, int retries,
        Duration retryDelay, NetioErrorHandler errors, boolean keepsMessages, boolean blocks, boolean startsByItself) {
    private static final int MOST_DOUBLINGS = 10;

    /** How long to wait before the {@code n}-th further attempt, from 1 on. */
    Duration delay(int n) {
        return retryDelay.multipliedBy(1L << Math.min(n - 1, MOST_DOUBLINGS));
    }

    /** How many messages each stream is asked for ahead of those that are done. */
    int window() {
        long ahead = (long) concurrency + prefetch;
        return Math.clamp(Math.ceilDiv(ahead, tags.size()), 1, Integer.MAX_VALUE);
    }
}
