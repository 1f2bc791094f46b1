// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport;

/** What has to have happened before a send is reported as completed. The names are libfabric's, see fi_cq(3). */
public enum CompletionLevel {
    /** The buffer can be used again; the message may still be on its way. */
    TRANSMIT_COMPLETE,

    /**
     * The message, and every one sent before it on this endpoint, is in a receive buffer of the peer. Over plain TCP it means
     * less: the peer's kernel has acknowledged it, and may still hold it for a receiver that has no buffer free.
     */
    DELIVERY_COMPLETE
}
