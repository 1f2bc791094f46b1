// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.receive;

import io.reactivenetio.transport.ReceivedBuffer;

/** Makes an element of the stream of a message. On the loop. */
public interface ElementMapper<T> {

    /** The element for this message, not null; the buffer is the caller's again after it. What it throws ends the stream. */
    T map(ReceivedBuffer buffer);

    /** Whether this message, which is asked for, may become an element now; if not, {@link Inbound#drain} is called later. */
    default boolean admits(ReceivedBuffer buffer) {
        return true;
    }

    /** No more messages are mapped for now; {@code last} was one of them, or comes next. */
    default void mapped(ReceivedBuffer last) {
    }
}
