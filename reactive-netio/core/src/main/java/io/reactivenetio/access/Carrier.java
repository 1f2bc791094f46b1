// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.access;

import io.reactivenetio.transport.backend.BackendCallbacks;
import io.reactivenetio.transport.backend.Endpoint;
import io.reactivenetio.transport.backend.NetworkBackend;
import java.security.Principal;
import java.util.function.Consumer;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/**
 * What carries a connection that is being made: a backend, or TLS on it.
 *
 * @param callbacks is given whom to tell of the connection from then on
 * @param session what the TLS handshake came to; null without TLS
 */
public record Carrier(NetworkBackend backend, Endpoint endpoint, Consumer<BackendCallbacks> callbacks,
        @Nullable SSLSession session) {

    /** Whom the peer's certificate is for; null if it has shown none. */
    public @Nullable Principal subject() {
        try {
            return session == null ? null : session.getPeerPrincipal();
        } catch (SSLPeerUnverifiedException e) {
            return null;
        }
    }
}
