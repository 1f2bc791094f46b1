// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.send.page;

/** What is known of the messages that one send has put into pages. On the loop. */
public interface DeliveryTracker {

    /** Whether a message counts as done when the peer has it, and not already when it has left. */
    boolean untilDelivered();

    /**
     * Notes that {@code messages} more, of {@code bytes} together, are whole in pages. The last of these pages is the one that is
     * being written.
     */
    void written(int messages, long bytes);

    /** How many messages are known to be delivered, or transmitted. */
    long done();

    /** Whether all messages are known to be delivered, or transmitted. */
    boolean isDone();

    /**
     * Calls back when all messages that are written so far are delivered, or transmitted; never, if the connection ends before.
     */
    void await(DeliveryListener listener);

    /** Nobody wants to know any more. */
    default void forget() {
        // most trackers are not kept by anybody else
    }
}
