// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.exceptions;

/** Why the peer has ended a stream with an error: see {@link NetioStreamException#error}. */
public enum StreamError {
    /** The stream was cancelled. */
    CANCELLED(1),

    /** The peer's source, responder or publisher failed; the text says how. */
    SOURCE_FAILED(2),

    /** Nobody serves the tag, or not with the wished policy. */
    NOT_SERVED(3),

    /** A limit is reached; the text says which. */
    LIMIT(4),

    /** The subscriber is too slow; the text says for what. */
    TOO_SLOW(5),

    /** One side broke the rules of the protocol. */
    BROKEN_RULES(6),

    /** The peer shuts down. Nobody has done anything wrong, and another peer may go on. */
    SHUT_DOWN(7),

    /** One side may not do that with the tag; see {@code NetioServer.authorize}. */
    FORBIDDEN(8),

    /** A code that this version does not know; the text says what it means. */
    UNKNOWN(0);

    private final int code;

    StreamError(int code) {
        this.code = code;
    }

    /** The error that has {@code code} on the wire, as docs/wire-format.md has it; {@link #UNKNOWN} if there is none. */
    public static StreamError of(int code) {
        for (StreamError error : values()) {
            if (error.code == code) {
                return error;
            }
        }
        return UNKNOWN;
    }

    /** The code that it has on the wire; 0 for {@link #UNKNOWN}. */
    public int code() {
        return code;
    }
}
