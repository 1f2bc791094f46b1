// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.send;

/** What is known of the messages that one send has put into pages. On the loop. */
public interface DeliveryTracker {

    /** Whether messages count when the peer has them, and not when they have left. */
    boolean untilDelivered();

    /** So many messages, of {@code bytes} together, are whole in pages; the last page is the one that is being written. */
    void written(int messages, long bytes);

    /** How many messages are known to be delivered, or transmitted. */
    long done();

    /** Whether all messages are. */
    boolean isDone();

    /** Calls back when all that are written so far are; never, if the connection ends before. */
    void await(Runnable then);
}
