// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.exceptions;

import org.jspecify.annotations.Nullable;

/** A listen endpoint could not be opened: the address is in use, is not local, or the provider cannot listen on it. */
public class NetioBindException extends NetioException {
    private static final long serialVersionUID = 1L;

    public NetioBindException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
