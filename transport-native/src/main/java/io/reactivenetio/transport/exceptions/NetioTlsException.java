// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.exceptions;

import org.jspecify.annotations.Nullable;

/**
 * TLS refused the connection or found it damaged: a certificate that is not trusted or is for another host, a peer without TLS,
 * records that were changed on their way, or an end without the peer's close_notify, after which nobody knows what is missing.
 */
public final class NetioTlsException extends NetioException {
    private static final long serialVersionUID = 1L;

    public NetioTlsException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
