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

    public NetioStreamException(String message, StreamError error) {
        this(message, error.code());
    }

    /** Why the stream has ended. */
    public StreamError error() {
        return StreamError.of(code);
    }

    /** The code of {@link #error} on the wire, also one that this version does not know. */
    public int code() {
        return code;
    }
}
