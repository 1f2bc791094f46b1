// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.exceptions;

/** The handle of a connection that belongs to another backend. */
public final class UnknownActiveEndpointException extends NetioException {
    private static final long serialVersionUID = 1L;

    public UnknownActiveEndpointException(String message) {
        super(message);
    }
}
