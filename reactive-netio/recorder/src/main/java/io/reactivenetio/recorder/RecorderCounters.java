// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.recorder;

/** Counts for {@link RecorderStatistics}. The recorder's thread writes once for each block, and any thread reads. */
final class RecorderCounters {
    private long messages;
    private long bytes;
    private long blocks;
    private long writtenBytes;
    private long gaps;
    private long missing;
    private long runChanges;
    private long duplicates;
    private long clockSteps;
    private int segments;
    private long diskBytes;
    private long deleted;
    private long lost;
    private long unwritten;
    private boolean waits;

    synchronized void written(BlockHeader block, long messagesMore, long bytesMore) {
        blocks++;
        writtenBytes += block.length();
        messages += messagesMore;
        bytes += bytesMore;
    }

    synchronized void gap(long messagesMissing) {
        gaps++;
        missing += messagesMissing;
    }

    synchronized void runChange() {
        runChanges++;
    }

    synchronized void duplicate() {
        duplicates++;
    }

    synchronized void clockStep() {
        clockSteps++;
    }

    synchronized void onDisk(int number, long total) {
        segments = number;
        diskBytes = total;
    }

    synchronized void deleted() {
        deleted++;
    }

    synchronized void lost(long messagesGone) {
        lost += messagesGone;
    }

    synchronized void unwritten(long messagesLeft) {
        unwritten += messagesLeft;
    }

    synchronized void waiting(boolean now) {
        waits = now;
    }

    synchronized RecorderStatistics statistics(int recordings, long waitingMessages, long waitingBytes) {
        return new RecorderStatistics(messages, bytes, blocks, writtenBytes, gaps, missing, runChanges, duplicates, clockSteps,
                segments, diskBytes, deleted, recordings, waitingMessages, waitingBytes, waits, lost, unwritten);
    }
}
