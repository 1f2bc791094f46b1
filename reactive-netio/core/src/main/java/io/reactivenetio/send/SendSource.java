// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.send;

import org.jspecify.annotations.Nullable;

/**
 * A source of the messages that an {@link Outbound} sends: the send of one user, or the pages that many senders fill. On the
 * loop.
 */
interface SendSource {
    /** Whether there is a message to send. */
    boolean hasNext();

    /** Whether further messages may follow. */
    boolean wantsMore();

    /** Whether somebody waits until the last message is delivered: the one that waits to be posted or was just posted. */
    boolean untilDelivered();

    /** Notes that a message was posted with this sequence number, which is one more than that of the message before it. */
    void posted(long sequence);

    /** Notes that a message has left. */
    void transmitted();

    /**
     * Called after every change. Everything up to {@code deliveredSequence} is with the peer. Returns true if there is nothing
     * more to do with this source.
     */
    boolean finishIfDone(long deliveredSequence);

    /** Ends the source, because the connection is over. */
    void connectionClosed(@Nullable Throwable cause, String what);
}
