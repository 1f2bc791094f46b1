// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.exceptions;

import org.jspecify.annotations.Nullable;

/** A client was refused because it did not show who it is, or a server because it does not know the client's secret. */
public final class NetioAuthenticationException extends NetioException {
    private static final long serialVersionUID = 1L;

    public NetioAuthenticationException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
