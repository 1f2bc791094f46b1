// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.exceptions;

/** A send buffer was asked for on a connection that was opened without any. */
public final class NoBuffersAllocatedException extends NetioException {
    private static final long serialVersionUID = 1L;

    public NoBuffersAllocatedException(String message) {
        super(message);
    }
}
