// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.lease;

import io.reactivenetio.transport.backend.ReceivedBuffer;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** A received message that came in a page, with others. */
public interface PageMessage extends IncomingMessage {
    /** Its page, to be retained as long as it is needed. */
    ReceivedBuffer page();

    /** Where it begins in the data of its page, unless it was put together elsewhere. */
    int offset();

    /**
     * The message, from position 0 to its limit, if it was put together; from now on it is the caller's. Null if it lies in its
     * page.
     */
    @Nullable ByteBuffer whole();

    /** Who is to be given {@link #whole} when nobody needs it any more; null: the garbage collector finds it. */
    @Nullable MessageMemory memory();

    /** The leases on all messages of its page. */
    PageLeases leases();
}
