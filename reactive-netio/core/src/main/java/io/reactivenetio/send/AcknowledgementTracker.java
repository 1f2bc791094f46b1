// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.send;

import org.jspecify.annotations.Nullable;

/**
 * Which messages of a connection are known to be with its peer. Some are sent with a request for an acknowledgement, and order
 * lets each of these cover all before it. Messages have the index of what they are sent with: send buffers first, then
 * zero-copy sends. Confined to the loop.
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

    /** At most half of the {@code lendable} buffers, fewer if other connections have some, and of the slices wait so. */
    AcknowledgementTracker(int buffers, int lendable, SharedSendBudget budget, int slices) {
        this.buffers = buffers;
        this.budget = budget;
        this.mostOfBuffers = Math.max(1, lendable / 2);
        this.mostOfSlices = Math.max(1, slices / 2);
        this.sequences = new long[buffers + slices];
        this.asksForAcknowledgement = new boolean[buffers + slices];
        this.owners = new @Nullable SendSource[buffers + slices];
    }

    /** Everything up to this one is with the peer. */
    long deliveredSequence() {
        return deliveredSequence;
    }

    /** Whether a message that somebody waits to be delivered has none behind it that an acknowledgement covers. */
    boolean isOwed() {
        return owed;
    }

    /** Whether one more may wait for an acknowledgement. */
    boolean admits(int index) {
        return index < buffers ? buffersInFlight < mostOfBuffers && budget.admits() : slicesInFlight < mostOfSlices;
    }

    /**
     * Whether as many messages are under way without being known to be delivered as may be. Only while an acknowledgement is to
     * come, or to be asked for with the held message, if there is one: where nobody asks, because all senders are content with
     * less, none ever would.
     */
    boolean isWindowFull(boolean held) {
        return (buffersInFlight + slicesInFlight > 0 || owed && held)
                && sequence - deliveredSequence >= (long) WINDOW * sequences.length;
    }

    /** Before a message is posted, because its end may be told at once. */
    void posting(int index, boolean asks) {
        sequences[index] = sequence + 1;
        asksForAcknowledgement[index] = asks;
    }

    /** It was. */
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

    /** Its buffer, or slice, can be used again. */
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

    /** None is under way any more. */
    void close() {
        budget.waitForAcknowledgement(-buffersInFlight);
        buffersInFlight = 0;
        slicesInFlight = 0;
    }
}
