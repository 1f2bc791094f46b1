// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.exceptions;

/** Connection parameters that contradict the backend's configuration, or ask for more than the provider has. */
public final class InvalidConnectionParametersException extends NetioException {
    private static final long serialVersionUID = 1L;

    public InvalidConnectionParametersException(String message) {
        super(message);
    }
}
