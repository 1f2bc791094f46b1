// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.exceptions;

import org.jspecify.annotations.Nullable;

/**
 * Root of everything this library reports as an error of the network or of its own use of it. Each subclass is one kind of
 * failure a caller may want to tell apart; the message alone is enough for a person.
 */
public class NetioException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public NetioException(String message) {
        super(message);
    }

    public NetioException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
