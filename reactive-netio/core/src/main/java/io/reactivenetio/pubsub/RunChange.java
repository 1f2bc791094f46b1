// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.pubsub;

import io.reactivenetio.api.Tags;

/**
 * The source has begun anew, so its messages are numbered from 0 again. Nobody can tell how many messages of the former run were
 * published after the last one that arrived. What was published of the new run before this subscriber came is told by the
 * {@link Gap} that follows.
 *
 * @param tags the tags of the subscription
 * @param last the last message of the former run that arrived
 * @param run the new run
 */
public record RunChange(Tags tags, Position last, long run) implements SequencedEvent {
}
