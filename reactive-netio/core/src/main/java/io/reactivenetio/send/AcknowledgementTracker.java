// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.send;

import org.jspecify.annotations.Nullable;

/**
 * Tracks which messages of a connection are known to be with the peer. Some messages are posted with a request for an
 * acknowledgement. Order lets an acknowledgement cover all messages before it. A message is named by the index of what it is sent
 * from: send buffers come first, then zero-copy sends. Confined to the loop.
 */
final class AcknowledgementTracker {
    private static final int WINDOW = 4;

    private final int buffers;
    private final SharedSendBudget budget;
    private final int mostOfBuffers;
    private final int mostOfSlices;
    private final long[] sequences;
    private final boolean[] asksForAcknowledgement;
    private final @Nullable SendSource[] owners;
    private long sequence;
    private long deliveredSequence;
    private int buffersInFlight;
    private int slicesInFlight;
    private boolean owed;

    /**
     * Lets at most half of the {@code lendable} buffers wait for acknowledgements, fewer if other connections' buffers wait too,
     * and at most half of the slices.
     */
    AcknowledgementTracker(int buffers, int lendable, SharedSendBudget budget, int slices) {
        this.buffers = buffers;
        this.budget = budget;
        this.mostOfBuffers = Math.max(1, lendable / 2);
        this.mostOfSlices = Math.max(1, slices / 2);
        this.sequences = new long[buffers + slices];
        this.asksForAcknowledgement = new boolean[buffers + slices];
        this.owners = new @Nullable SendSource[buffers + slices];
    }

    /** The sequence number of the last message that is known to be with the peer, as all before it are. */
    long deliveredSequence() {
        return deliveredSequence;
    }

    /** Whether a message that somebody waits to be delivered has no message with a request for an acknowledgement behind it. */
    boolean isOwed() {
        return owed;
    }

    /** Whether the message of this index may wait for an acknowledgement, too. */
    boolean admits(int index) {
        return index < buffers ? buffersInFlight < mostOfBuffers && budget.admits() : slicesInFlight < mostOfSlices;
    }

    /**
     * Whether the window is full: as many messages as allowed are under way and not known to be delivered. It is full only while
     * an acknowledgement will come, or will be asked for with the held message ({@code held}). If all senders are content with
     * less than delivery, nobody asks for one, and a full window would never open again.
     */
    boolean isWindowFull(boolean held) {
        return (buffersInFlight + slicesInFlight > 0 || owed && held)
                && sequence - deliveredSequence >= (long) WINDOW * sequences.length;
    }

    /**
     * Notes that the message of this index is about to be posted. This comes before the post, because the backend may tell the
     * end of the send within that.
     */
    void posting(int index, boolean asks) {
        sequences[index] = sequence + 1;
        asksForAcknowledgement[index] = asks;
    }

    /** Notes that the message of this index was posted. */
    void posted(int index, @Nullable SendSource owner) {
        sequence++;
        if (asksForAcknowledgement[index]) {
            owed = false;
            count(index, 1);
        } else if (owner != null && owner.untilDelivered()) {
            owed = true;
        }
        owners[index] = owner;
        if (owner != null) {
            owner.posted(sequence);
        }
    }

    /** Notes that the send of this index is over: its buffer, or slice, can be used again. */
    void completed(int index) {
        if (asksForAcknowledgement[index]) {
            asksForAcknowledgement[index] = false;
            count(index, -1);
            deliveredSequence = Math.max(deliveredSequence, sequences[index]);
        }
        SendSource owner = owners[index];
        owners[index] = null;
        if (owner != null) {
            owner.transmitted();
        }
    }

    private void count(int index, int change) {
        if (index < buffers) {
            buffersInFlight += change;
            budget.waitForAcknowledgement(change);
        } else {
            slicesInFlight += change;
        }
    }

    /** Notes that the connection is over, and that no message is under way any more. */
    void close() {
        budget.waitForAcknowledgement(-buffersInFlight);
        buffersInFlight = 0;
        slicesInFlight = 0;
    }
}
