// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.pubsub;

import io.reactivenetio.api.Tags;

/**
 * What a sequenced subscription tells, in order: messages with their numbers, and what is missing between them. See {@link
 * NetioSubscriber#subscribeSequenced(Tags)}.
 */
public sealed interface SequencedEvent permits SequencedMessage, Gap, RunChange {
    /** The tags of the subscription. */
    Tags tags();

    /** The run of the source that this is about. Every source that is published has a run of its own, which is not 0. */
    long run();
}
