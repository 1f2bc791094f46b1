// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.recorder;

import io.reactivenetio.api.Tags;
import io.reactivenetio.pubsub.Position;

/**
 * Says that everything up to a position is recorded, as durably as {@link Fsync} has it.
 *
 * @param tags the stream
 * @param position the last message that is safe, and all before it
 */
public record Recorded(Tags tags, Position position) {
}
