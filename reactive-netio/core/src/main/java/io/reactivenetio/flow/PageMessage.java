// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.flow;

import io.reactivenetio.transport.ReceivedBuffer;

/** A received message that came in a page, with others. */
public interface PageMessage extends TaggedBuffer {
    /** Its page, to be retained as long as it is needed. */
    ReceivedBuffer page();

    /** Those on all messages of its page. */
    PageLeases leases();
}
