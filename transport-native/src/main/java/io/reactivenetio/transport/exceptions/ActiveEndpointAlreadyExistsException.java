// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.exceptions;

/**
 * A connection to this address exists, and the backend is exclusive: see {@link
 * io.reactivenetio.transport.backend.BackendConfig#exclusive()}.
 */
public final class ActiveEndpointAlreadyExistsException extends NetioException {
    private static final long serialVersionUID = 1L;

    public ActiveEndpointAlreadyExistsException(String message) {
        super(message);
    }
}
