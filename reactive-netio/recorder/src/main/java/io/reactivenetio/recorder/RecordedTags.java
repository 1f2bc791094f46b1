// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.recorder;

import io.reactivenetio.api.Tags;
import java.util.List;

/**
 * A recorded stream.
 *
 * @param tags the tags that were recorded as one stream
 * @param bytes what the stream takes on the disk, with headers and padding
 * @param runs the runs of the source, in the order of time. A run that the recorder met again after another is there again
 */
public record RecordedTags(Tags tags, long bytes, List<RecordedRun> runs) {

    /** @throws IllegalArgumentException if there is no run */
    public RecordedTags {
        runs = List.copyOf(runs);
        if (runs.isEmpty()) {
            throw new IllegalArgumentException("a recorded stream has a run: " + tags);
        }
    }
}
