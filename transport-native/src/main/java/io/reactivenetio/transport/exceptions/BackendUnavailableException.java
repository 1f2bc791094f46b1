// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.exceptions;

import org.jspecify.annotations.Nullable;

/** The backend cannot work on this machine: its library or its provider is missing. The message says what to install. */
public final class BackendUnavailableException extends NetioException {
    private static final long serialVersionUID = 1L;

    public BackendUnavailableException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
