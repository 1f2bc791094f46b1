// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.annotation.listener;

import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.api.Tags;
import io.reactivenetio.pubsub.NetioSubscriber;
import io.reactivenetio.spring.annotation.NetioErrorHandler;
import io.reactivenetio.spring.client.Resubscribing;
import io.reactivenetio.spring.security.PeerScope;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import reactor.core.publisher.Flux;

/**
 * What a listener's annotation says, with everything looked up.
 *
 * @param concurrency how many messages are worked on at a time
 * @param prefetch how many more wait at most
 * @param adapts whether that follows the listener's pace
 * @param retries how often a message is tried again
 * @param retryDelay before the first of these times
 * @param errors who is told what has failed
 * @param keepsMessages whether a message may be needed again after a call
 * @param blocks whether the method is called on virtual threads
 * @param resubscribes whether it subscribes again when the publisher has completed a subscription
 * @param peers how methods see who has published a message
 */
record ListenerSettings(String id, NetioSubscriber subscriber, List<Tags> tags, int concurrency, int prefetch, boolean adapts,
        int retries, Duration retryDelay, NetioErrorHandler errors, boolean keepsMessages, boolean blocks, boolean resubscribes,
        boolean startsByItself, PeerScope.Factory peers) {
    private static final int MOST_DOUBLINGS = 10;
    private static final int FEW = 32;
    /** The memory for messages that wait, as that of a stream with a prefetch. */
    private static final long BYTES_AHEAD = 16 << 20;

    /** How long to wait before the {@code n}-th further attempt, from 1 on. */
    Duration delay(int n) {
        return retryDelay.multipliedBy(1L << Math.min(n - 1, MOST_DOUBLINGS));
    }

    /** How many messages a Flux of several streams takes of each ahead of its demand. */
    int window() {
        long ahead = (long) concurrency + Math.min(prefetch, FEW);
        return Math.clamp(Math.ceilDiv(ahead, tags.size()), 1, Integer.MAX_VALUE);
    }

    /** How many messages each stream asks for. */
    MessageDemand demand() {
        return new MessageDemand(tags.size(), concurrency, prefetch, adapts, BYTES_AHEAD, System::nanoTime);
    }

    /**
     * The messages of one stream, also those that come after the publisher has completed it, if the listener wants them. The
     * publisher is asked for exactly what the listener asks for, so that a stop can wait for that. {@code connected} is told
     * whose messages follow.
     */
    Flux<Message> messages(Content content, Tags stream, Consumer<NetioConnection> connected) {
        Flux<Message> messages = content.subscribe(subscriber.prefetch(0).doOnSubscribed(connected), stream);
        return resubscribes ? Resubscribing.of(messages) : messages;
    }
}
