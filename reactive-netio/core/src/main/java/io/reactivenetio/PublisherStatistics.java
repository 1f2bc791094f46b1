// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

/**
 * What a {@link NetioPublisher} has done so far, at one moment.
 *
 * @param subscribers subscriptions that are open
 * @param dropped messages dropped for one of them, and counted once for each
 * @param tooSlow subscriptions that were ended with code 5 of docs/wire-format.md, by {@link SlowPolicy#ERROR} or after
 *     {@link NetioPublisher#patience}
 */
public record PublisherStatistics(int subscribers, long dropped, long tooSlow) {
}
