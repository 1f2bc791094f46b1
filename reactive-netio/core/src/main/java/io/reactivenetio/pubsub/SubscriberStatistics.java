// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.pubsub;

/**
 * What a {@link NetioSubscriber} has got until one moment.
 *
 * @param received messages received by all its subscriptions
 * @param dropped messages that the publisher dropped because this side was slow
 * @param missed messages that were published, or lost on the way, while there was no connection; only those count that the
 *     publisher numbers
 * @param connections how often the subscriber has connected
 */
public record SubscriberStatistics(long received, long dropped, long missed, long connections) {
}
