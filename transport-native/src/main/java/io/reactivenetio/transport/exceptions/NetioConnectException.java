// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.exceptions;

import org.jspecify.annotations.Nullable;

/** A connection was not established: nobody listens, the peer rejected it, the name is unknown, or it took too long. */
public final class NetioConnectException extends NetioException {
    private static final long serialVersionUID = 1L;

    public NetioConnectException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
