// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.exceptions;

/** A TCP connection broke: it was reset, timed out, or the kernel failed it otherwise. */
public final class NetioSocketException extends NetioException {
    private static final long serialVersionUID = 1L;

    private final int code;

    public NetioSocketException(String message, int code) {
        super(message + " (" + code + ")");
        this.code = code;
    }

    /** The positive errno(3) number. */
    public int code() {
        return code;
    }
}
