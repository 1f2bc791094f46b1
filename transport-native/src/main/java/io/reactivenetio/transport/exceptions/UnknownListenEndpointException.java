// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.exceptions;

/** The handle of a listen endpoint that belongs to another backend. */
public final class UnknownListenEndpointException extends NetioException {
    private static final long serialVersionUID = 1L;

    public UnknownListenEndpointException(String message) {
        super(message);
    }
}
