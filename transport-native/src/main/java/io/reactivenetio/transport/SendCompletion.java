// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport;

/** What must have happened to all messages of a send before the send completes. fi_cq(3) calls it a completion level. */
public enum SendCompletion {
    /**
     * The messages have left this process, and their memory can be used again: FI_TRANSMIT_COMPLETE. They may be lost if the
     * connection ends.
     */
    TRANSMITTED,

    /**
     * The messages, and every one sent before them on this endpoint, are in receive buffers of the peer: FI_DELIVERY_COMPLETE.
     * Over plain TCP with RAW or PAGE framing it means less: the peer's kernel has them, and may still hold them for a receiver
     * that has no buffer free.
     */
    DELIVERED
}
