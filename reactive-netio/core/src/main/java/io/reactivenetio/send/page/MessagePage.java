// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.send.page;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** The page that a {@link SenderRotation} fills. On the loop. */
public interface MessagePage extends RunTarget {

    /** How many messages the sender may be asked for at once so that all fit; 0 if the page is full. */
    long fits(MessageSender<?> sender);

    /**
     * Writes a message of the sender that is being asked. The page copies the payload. A message that is in pages whole after
     * that is counted later, by {@link #appended}.
     */
    AppendResult append(long tag, int status, ByteBuffer payload);

    /**
     * Whether messages with this tag and status 0 can be given to {@link #follow}, after one that was appended and until anything
     * else is done with the page.
     */
    default boolean isFollowing(long tag) {
        return false;
    }

    /** Counts {@code messages} of the sender, which were appended to this page. */
    void appended(MessageSender<?> sender, int messages, long bytes);

    /**
     * Writes the message that the sender has waiting, and counts it. Returns null if it is in the page whole, or else why not.
     * Whoever writes it in parts moves the position of {@code payload}.
     */
    @Nullable FillResult write(MessageSender<?> sender, long tag, int status, ByteBuffer payload);
}
