// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

/**
 * What a {@link NetioSubscriber} has got so far, at one moment.
 *
 * @param received messages, of all its subscriptions
 * @param dropped messages that the publisher dropped because this side was slow
 * @param missed messages that were published, or lost on the way, while there was no connection, where the publisher numbers them
 * @param connections how often it has connected
 */
public record SubscriberStatistics(long received, long dropped, long missed, long connections) {
}
