// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.framing.stream;

import io.reactivenetio.connection.Connection;

/**
 * What the streams that this side receives have in common: their connection, what writes their frames, the pages of the peer
 * that are here, of {@code dataPages} with messages at most, and the frame that is being read, with what shows its message.
 */
record ReceiveContext(Connection connection, PageScheduler pages, CreditReturns held, int dataPages, FrameCursor cursor,
        MessageView view) {

    /** Whether it would be unfair to the other streams to keep a page for this message. */
    boolean isShortOfPages(StreamMessage message) {
        return message.costsAPage() && 2 * held.kept() > dataPages;
    }
}
