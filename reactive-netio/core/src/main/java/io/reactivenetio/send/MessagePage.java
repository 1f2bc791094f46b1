// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.send;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** The page that a {@link SenderRotation} fills. On the loop. */
public interface MessagePage {

    /** How many messages the sender may be asked for at once, so that all fit; 0 if the page is full. */
    long fits(MessageSender<?> sender);

    /** Writes a message of the sender that is being asked. One that is then in pages whole is not counted here. */
    Appended append(long tag, int status, ByteBuffer payload);

    /** So many messages of the sender were appended to this page, and are to be counted. */
    void appended(MessageSender<?> sender, int messages, long bytes);

    /** Writes a message that waited in the sender, and counts it. Null if it is in the page whole. */
    @Nullable FillResult write(MessageSender<?> sender, WaitingMessage message);
}
