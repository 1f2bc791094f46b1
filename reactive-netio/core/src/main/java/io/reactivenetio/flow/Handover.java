// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.flow;

import io.reactivenetio.transport.ReceivedBuffer;

/** How a message becomes an element of the stream. Loop thread. */
interface Handover<T> {

    /** Whether this message, which is asked for, may be handed over now; if not, {@link Inbound#drain} is called later. */
    boolean admits(ReceivedBuffer buffer);

    /** Whether what it makes keeps the message, which then has to be an object of its own. */
    default boolean keeps() {
        return false;
    }

    /** The element for this message; the buffer is the caller's again when this returns. What it throws ends the stream. */
    T take(ReceivedBuffer buffer);
}
