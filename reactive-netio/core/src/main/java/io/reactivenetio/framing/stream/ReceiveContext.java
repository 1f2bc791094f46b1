// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.framing.stream;

import io.reactivenetio.connection.Connection;
import io.reactivenetio.lease.MessageMemory;

/**
 * What the streams that this side receives have in common.
 *
 * @param pages writes their control frames
 * @param held counts the peer's pages that are here
 * @param dataPages how many pages with messages the peer may have sent at a time
 * @param end says whether the connection goes on
 * @param view shows the message of the frame that is being read
 * @param memory where messages are put together
 */
record ReceiveContext(Connection connection, PageScheduler pages, CreditReturns held, int dataPages, SessionEnd end,
        MessageView view, MessageMemory memory) {

    /** Whether other streams would be short of pages if another one were kept. */
    boolean isShortOfPages() {
        return 2 * held.kept() > dataPages;
    }
}
