// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.receive;

/** Makes an element of the stream of a message. What making it throws ends the stream. On the loop. */
public interface ElementMapper<T> {

    /** The element for the message that {@code run} is at, not null; {@code run} shows another one after it. */
    T map(MessageRun run);

    /**
     * Whether the message that {@code run} is at, which is asked for, may become an element now; if not, {@link Inbound#drain} is
     * called later.
     */
    default boolean admits(MessageRun run) {
        return true;
    }

    /** Whether messages may become elements before they are asked for: all are admitted, and an element keeps no buffer. */
    default boolean mayRunAhead() {
        return true;
    }

    /** How many messages more the peer has to be asked for, if {@code elements} more are wanted. Any thread. */
    default long missing(long elements) {
        return elements;
    }

    /** Whether it finds the messages behind the one that it is given itself, as far as they belong to the same element. */
    default boolean findsFollowing() {
        return false;
    }

    /** Moves {@code run} on, behind the element that was delivered; false if it has no more messages. */
    default boolean next(MessageRun run) {
        return run.next();
    }
}
