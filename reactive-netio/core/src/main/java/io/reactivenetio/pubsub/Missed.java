// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.pubsub;

/**
 * Messages that were published and did not reach a subscriber.
 *
 * @param tags the tags of the subscription
 * @param messages how many messages
 * @param dropped true if the publisher dropped them because the subscriber was slow; false if they were published, or lost on the
 *     way, while the subscriber had no connection
 */
public record Missed(Tags tags, long messages, boolean dropped) {
}
