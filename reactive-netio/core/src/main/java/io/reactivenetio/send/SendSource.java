// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.send;

import org.jspecify.annotations.Nullable;

/** What an {@link Outbound} sends from, message by message: one user's send, or pages that many fill. On the loop. */
interface SendSource {
    /** Whether it has a message to send. */
    boolean hasNext();

    /** Whether more may follow. */
    boolean wantsMore();

    /** Whether somebody waits for its last message, which is the one that waits to be posted or was just, to be delivered. */
    boolean untilDelivered();

    /** A message was posted with this sequence number, which is one more than that of the message posted before it. */
    void posted(long sequence);

    /** A message has left. */
    void transmitted();

    /** After every change: everything up to this sequence is with the peer. True if there is nothing more to do with it. */
    boolean finishIfDone(long deliveredSequence);

    /** The connection is over. */
    void connectionClosed(@Nullable Throwable cause, String what);
}
