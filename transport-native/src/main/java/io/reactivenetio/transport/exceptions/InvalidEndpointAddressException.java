// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.exceptions;

/** An address that no endpoint can have: an unknown host name, or no port to connect to. */
public final class InvalidEndpointAddressException extends NetioException {
    private static final long serialVersionUID = 1L;

    public InvalidEndpointAddressException(String message) {
        super(message);
    }
}
