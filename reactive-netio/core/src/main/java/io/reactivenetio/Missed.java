// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

/**
 * Messages that were published and did not reach a subscriber.
 *
 * @param tags what it is subscribed to
 * @param messages how many
 * @param dropped true: the publisher dropped them because the subscriber was slow. False: they were published, or lost on the
 *     way, while it had no connection
 */
public record Missed(Tags tags, long messages, boolean dropped) {
}
