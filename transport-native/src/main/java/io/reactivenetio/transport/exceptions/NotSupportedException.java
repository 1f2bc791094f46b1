// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.exceptions;

/** This backend, or this connection as its parameters say, cannot do that. */
public final class NotSupportedException extends NetioException {
    private static final long serialVersionUID = 1L;

    public NotSupportedException(String message) {
        super(message);
    }
}
