// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.exceptions;

/** libfabric, or the provider under it, failed. */
public final class NetioFabricException extends NetioException {
    private static final long serialVersionUID = 1L;

    private final int code;

    public NetioFabricException(String message, int code) {
        super(message + " (" + code + ")");
        this.code = code;
    }

    /** The positive fi_errno(3) number. */
    public int code() {
        return code;
    }
}
