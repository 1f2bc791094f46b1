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

    /** What docs/wire-format.md lists: 1 cancelled, 2 the source failed, 3 nobody serves the tag, 4 a limit, 5 too slow. */
    public int code() {
        return code;
    }
}
