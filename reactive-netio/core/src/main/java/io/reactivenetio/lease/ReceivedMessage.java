// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.lease;

import io.reactivenetio.transport.backend.ReceivedBuffer;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A message that arrived, in a page with others or alone, or put together of parts, with what is said of it. Whoever shows it
 * says how long. On the loop.
 */
public interface ReceivedMessage {
    /** The message, from position 0 to limit. */
    ByteBuffer data();

    /** The size of the message in bytes. */
    int length();

    /** Its own tag, or else that of its stream; 0 where messages have none. */
    long tag();

    /** 0 to 255. */
    int status();

    /** The receive buffer that it came in, to be retained as long as it is needed. */
    ReceivedBuffer page();

    /** Where it begins in the data of its page, unless it was put together elsewhere. */
    int offset();

    /**
     * The message, from position 0 to its limit, if it was put together; from now on it is the caller's. Null if it lies in its
     * page.
     */
    default @Nullable ByteBuffer whole() {
        return null;
    }

    /** Who is to be given {@link #whole} when nobody needs it any more; null: the garbage collector finds it. */
    default @Nullable MessageMemory memory() {
        return null;
    }

    /** The leases on all messages of its page. */
    PageLeases leases();
}
