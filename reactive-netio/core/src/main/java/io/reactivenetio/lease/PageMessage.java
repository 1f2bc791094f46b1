// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.lease;

import io.reactivenetio.transport.ReceivedBuffer;
import java.nio.ByteBuffer;

/** A received message that came in a page, with others. */
public interface PageMessage extends TaggedBuffer {
    /** Its page, to be retained as long as it is needed. */
    ReceivedBuffer page();

    /** Where it begins in the data of its page; -1 if it was put together elsewhere. */
    int offset();

    /** The message that was put together, from position 0 to its limit; from now on it is the caller's. */
    ByteBuffer whole();

    /** Who is to be given {@link #whole} when nobody needs it any more. */
    MessageMemory memory();

    /** The leases on all messages of its page. */
    PageLeases leases();
}
