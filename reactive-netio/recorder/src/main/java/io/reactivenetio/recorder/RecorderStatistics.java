// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.recorder;

/**
 * What a recorder has done since it was opened, until one moment.
 *
 * @param messages messages written
 * @param bytes bytes in these messages
 * @param blocks blocks written
 * @param writtenBytes bytes written, with headers and padding
 * @param gaps gaps written
 * @param missing messages that are missing in them
 * @param runChanges how often a source was found to have begun anew
 * @param duplicates messages that were recorded before, and were left out
 * @param clockSteps how often a message came before the one before it by the clock
 * @param segments segments on the disk
 * @param diskBytes bytes they take, with their indexes
 * @param deletedSegments segments deleted
 * @param recordings recordings under way
 * @param waitingMessages messages in memory that wait to be written
 * @param waitingBytes bytes of them, each with 64 more
 * @param waitsForRoom whether nothing is written now because there is no room
 * @param lost messages that were written, and are gone: somebody deleted, cut or replaced their segment while it was written
 * @param unwritten messages that had come, or what stands for missing ones, and were not written as their recording failed; it
 *     may count some that were written just before
 */
public record RecorderStatistics(long messages, long bytes, long blocks, long writtenBytes, long gaps, long missing,
        long runChanges, long duplicates, long clockSteps, int segments, long diskBytes, long deletedSegments, int recordings,
        long waitingMessages, long waitingBytes, boolean waitsForRoom, long lost,
        long unwritten) {
}
