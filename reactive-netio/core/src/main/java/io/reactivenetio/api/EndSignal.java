// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.api;

/**
 * How a stream ends with {@link io.reactivenetio.Framing#raw} and {@link io.reactivenetio.Framing#page}, which have no end of
 * their own on the wire. Both sides must be configured alike.
 */
public enum EndSignal {
    /** A stream never ends well: a peer that closes the connection is an error. So a dead peer is never taken for an end. */
    ERROR,

    /** An empty message completes the stream, with PAGE whatever its tag. So an empty message cannot be sent as data. */
    EMPTY_MESSAGE,

    /**
     * A peer that closes the connection completes the stream. On tcp a peer that died looks the same, so use it only where that
     * does not matter.
     */
    PEER_CLOSE
}
