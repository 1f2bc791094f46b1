// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.lease;

import io.reactivenetio.transport.ReceivedBuffer;
import java.nio.ByteBuffer;

/** A received message that came in a page, with others. */
public interface PageMessage extends TaggedBuffer {
    /** Its page, to be retained as long as it is needed. */
    ReceivedBuffer page();

    /** The message where it lies, in a buffer of its own. */
    ByteBuffer inPlace();

    /** The leases on all messages of its page. */
    PageLeases leases();
}
