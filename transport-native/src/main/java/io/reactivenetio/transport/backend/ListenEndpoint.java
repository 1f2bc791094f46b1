// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.backend;

import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/** The handle of a listen endpoint. */
public final class ListenEndpoint {
    private final SocketAddress localAddress;
    private final Object implementation;
    private final @Nullable Object attachment;
    private final HandshakeTurns turns = new HandshakeTurns(System::nanoTime);

    /** For backends: {@code implementation} is what they find again with {@link #implementation()}. */
    public ListenEndpoint(SocketAddress localAddress, Object implementation, @Nullable Object attachment) {
        this.localAddress = localAddress;
        this.implementation = implementation;
        this.attachment = attachment;
    }

    /** The address really bound; where port 0 was asked for, the port that was found free. */
    public SocketAddress localAddress() {
        return localAddress;
    }

    /** The backend's own object for this endpoint. Callers have no use for it. */
    public Object implementation() {
        return implementation;
    }

    /** The caller's object, as given to {@link NetworkBackend#openListenEndpoint}. */
    public @Nullable Object attachment() {
        return attachment;
    }

    /** Says when TLS handshakes of those who connect here may begin. */
    public HandshakeTurns turns() {
        return turns;
    }

    @Override
    public String toString() {
        return "listen endpoint " + Addresses.format(localAddress);
    }
}
