// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.exceptions;

/** The peer has ended a stream with an error; the connection, and its other streams, go on. */
public final class NetioStreamException extends NetioException {
    private static final long serialVersionUID = 1L;

    private final int code;

    public NetioStreamException(String message, int code) {
        super(message);
        this.code = code;
    }

    /**
     * Why the stream has ended: 1 it was cancelled, 2 the peer's source failed, 3 nobody serves the tag, 4 a limit is reached,
     * 5 the subscriber is too slow, 7 the peer shuts down. docs/wire-format.md has all codes.
     */
    public int code() {
        return code;
    }
}
