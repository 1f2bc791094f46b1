// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.flow;

import org.jspecify.annotations.Nullable;

/** The page that a {@link SenderRotation} fills. On the loop. */
public interface MessagePage {

    /** How many messages the sender may be asked for at once, so that all fit; 0 if the page is full. */
    long fits(MessageSender<?> sender);

    /** Writes a message that waited in the sender. Null if it is in the page whole. */
    @Nullable FillResult write(MessageSender<?> sender, WaitingMessage message);
}
