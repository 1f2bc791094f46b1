// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.pubsub;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a {@link NetioSubscriber} has got until one moment.
 *
 * @param received messages received by all its subscriptions
 * @param receivedBytes bytes in these messages
 * @param dropped messages that the publisher dropped because this side was slow
 * @param missed messages that were published, or lost on the way, while there was no connection; only those count that the
 *     publisher numbers
 * @param connections how often the subscriber has connected
 * @param reconnectAttempts how often it has tried to connect again because the connection was lost, could not be made, or was
 *     given up with its last subscription when that failed
 * @param reconnects how many of these attempts have succeeded
 * @param subscriptions subscriptions that are active now, also while they wait for a connection
 * @param connected whether it is connected now
 * @param sinceLastMessage how long ago a subscription was given a message for the last time; null if none ever was
 * @param runChanges how often a subscription has found that its source had begun anew, as after a restart of the publisher: then
 *     nobody knows how many messages it has missed at the end of the former run. Only those count that the publisher numbers
 * @param slow subscriptions that are slow now, as their publisher says: see {@link Slow}
 * @param waiting messages that wait for these at the publisher, as it said for the last time
 */
public record SubscriberStatistics(long received, long receivedBytes, long dropped, long missed, long connections,
        long reconnectAttempts, long reconnects, int subscriptions, boolean connected, @Nullable Duration sinceLastMessage,
        long runChanges, int slow, long waiting) {
}
