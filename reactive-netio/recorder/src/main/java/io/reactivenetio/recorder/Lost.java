// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.recorder;

import io.reactivenetio.pubsub.Gap;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * What was found damaged when a recording was opened, as after the end of a process that was writing.
 *
 * @param segment the file
 * @param offset where in the file
 * @param bytes how many bytes could not be used
 * @param cut whether they were at the end of the file and were cut off. Otherwise they stay, and readers go on behind them
 * @param gap the messages that were in them, if their header could be read
 */
public record Lost(Path segment, long offset, long bytes, boolean cut, @Nullable Gap gap) {
}
