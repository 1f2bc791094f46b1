// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.receive;

/** Messages that wait for demand, and keep the receive buffer that they came in: those of a page, or one. On the loop. */
public interface HeldRun extends MessageRun {
    /** How many messages are left, with the one that it stands at. */
    int waiting();

    /** Bytes of the messages that are left. */
    long waitingBytes();

    /** Bytes that it keeps while it waits. */
    int heldBytes();

    /** Gives the receive buffer back: nobody needs it any more. */
    void leave();
}
