// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.recorder;

/**
 * What a recording's readers have found until one moment.
 *
 * @param readers readers that are subscribed now
 * @param damagedBlocks blocks whose checksum was wrong when a reader came there, counted once for each reader
 * @param damagedBytes bytes of them
 * @param skippedBytes bytes in segments that are no blocks, as their headers are damaged
 * @param unfinishedBytes bytes at the end of the newest segment that are no whole block: it is being written, or its recorder
 *     ended while it wrote
 */
public record RecordingStatistics(int readers, long damagedBlocks, long damagedBytes, long skippedBytes, long unfinishedBytes) {
}
