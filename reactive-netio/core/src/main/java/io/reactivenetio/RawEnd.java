// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

/**
 * How a stream ends with {@link Framing#RAW} and {@link Framing#PAGE}, which have no end of their own on the wire. Both sides
 * must agree.
 */
public enum RawEnd {
    /** It does not: a peer that closes the connection is an error. What a dead peer looks like is never taken for an end. */
    ERROR,

    /** An empty message, with PAGE of whatever tag, completes the stream; an empty message can therefore not be sent as data. */
    EMPTY_MESSAGE,

    /** A peer that closes completes the stream. On tcp a peer that died looks the same: only for where that is no matter. */
    PEER_CLOSE
}
