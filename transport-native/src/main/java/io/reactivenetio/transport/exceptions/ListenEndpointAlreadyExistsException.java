// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.exceptions;

/** This backend listens on this address already. */
public final class ListenEndpointAlreadyExistsException extends NetioBindException {
    private static final long serialVersionUID = 1L;

    public ListenEndpointAlreadyExistsException(String message) {
        super(message, null);
    }
}
