// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.pubsub;

/**
 * What a {@link NetioPublisher} has done until one moment.
 *
 * @param subscribers subscriptions that are open
 * @param dropped messages dropped, counted once for each subscription that did not get them
 * @param tooSlow subscriptions that were ended with code 5 of docs/wire-format.md, by {@link SlowPolicy#ERROR} or after
 *     {@link NetioPublisher#patience}
 */
public record PublisherStatistics(int subscribers, long dropped, long tooSlow) {
}
