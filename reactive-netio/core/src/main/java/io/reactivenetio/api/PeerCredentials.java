// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.api;

import java.net.SocketAddress;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/** What a client shows a {@link NetioAuthenticator}. Nothing of it is proven before that has looked. Any thread. */
public interface PeerCredentials {
    /** Where the client connects from. */
    SocketAddress remoteAddress();

    /** What the TLS handshake came to, with the client's certificate if it was asked for one; null without TLS. */
    @Nullable SSLSession tlsSession();

    /** The name that goes with the client's secret; empty if it shows a token. */
    String name();

    /** The client's token; null if it has a secret. */
    @Nullable String token();

    /**
     * Whether the client knows {@code secret}. It has computed an HMAC-SHA-256 with it, over its name, both handshakes and a
     * random number of either side, which is compared in a time that does not tell how near it is. The client is told in the
     * same way that this server knows the last secret that was right. False if the client shows a token.
     */
    boolean proves(byte[] secret);
}
