// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.base.send;

import io.reactivenetio.transport.SendCompletion;
import io.reactivenetio.transport.backend.SendStatus;

/**
 * What takes the sends of one connection to the network: the endpoint. It is a class and not an interface, so that a call for a
 * message costs no more than one of the endpoint's own methods. Loop thread, but for {@link #isClosed}.
 */
public abstract class Transmitter {
    /**
     * Sends a buffer. After OK the transmitter has the buffer, until it says that the send is over. Otherwise the buffer is the
     * caller's again, and after FAILED the connection has to be closed.
     */
    protected abstract SendStatus post(SendSlot slot, SendCompletion level);

    /** Sends a zero-copy message, by the same rules as a buffer. */
    protected abstract SendStatus post(GatherSlot slot, SendCompletion level);

    /** Sends that were refused may be tried again: tells the owner of the connection. */
    protected abstract void notifyResourcesAvailable();

    /** Whether nothing more is to be sent. Any thread. */
    public abstract boolean isClosed();
}
