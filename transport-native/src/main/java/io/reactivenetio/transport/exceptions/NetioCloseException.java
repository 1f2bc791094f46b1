// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.exceptions;

import org.jspecify.annotations.Nullable;

/** An endpoint could not be closed in order. It is unusable nevertheless; what could not be given back is lost to the process. */
public final class NetioCloseException extends NetioException {
    private static final long serialVersionUID = 1L;

    public NetioCloseException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
