// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.exceptions;

import org.jspecify.annotations.Nullable;

/** The two sides do not understand each other: different framing or version, or bytes that mean nothing. */
public final class NetioProtocolException extends NetioException {
    private static final long serialVersionUID = 1L;

    public NetioProtocolException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
