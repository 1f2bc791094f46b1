// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.backend;

import java.net.SocketAddress;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The handle of an active endpoint: one connection, accepted or opened. A new one is made for every connection and none is
 * ever used again, so a stale handle is recognised for what it is.
 */
public final class Endpoint {
    private static final AtomicLong IDS = new AtomicLong();

    private final long id = IDS.incrementAndGet();
    private final SocketAddress remoteAddress;
    private final @Nullable ListenEndpoint listenEndpoint;
    private final Object implementation;
    private ConnectionData peerData = ConnectionData.none();
    private volatile @Nullable SocketAddress localAddress;
    private BackendCallbacks callbacks = BackendCallbacks.NONE;

    /** For backends: {@code implementation} is what they find again with {@link #implementation()}. */
    public Endpoint(SocketAddress remoteAddress, @Nullable ListenEndpoint listenEndpoint, Object implementation) {
        this.remoteAddress = remoteAddress;
        this.listenEndpoint = listenEndpoint;
        this.implementation = implementation;
    }

    /** Unique in this process. */
    public long id() {
        return id;
    }

    /** Where the peer is; for an opened endpoint, the address that was asked for. */
    public SocketAddress remoteAddress() {
        return remoteAddress;
    }

    /** Where this side of the connection is; null before it is established, and where the system does not say. Any thread. */
    public @Nullable SocketAddress localAddress() {
        return localAddress;
    }

    /** Called by backends, before the connection is told to be established. */
    public void boundTo(@Nullable SocketAddress address) {
        localAddress = address;
    }

    /** The listen endpoint that accepted this connection, or null if it was opened from here. */
    public @Nullable ListenEndpoint listenEndpoint() {
        return listenEndpoint;
    }

    /** What the peer said while the connection was made; known when it is established. Loop thread only. */
    public ConnectionData peerData() {
        return peerData;
    }

    /** Called by backends; nothing said is nothing new. */
    public void peerSaid(ConnectionData data) {
        if (!data.isEmpty()) {
            peerData = data;
        }
    }

    /** The backend's own object for this endpoint. Callers have no use for it. */
    public Object implementation() {
        return implementation;
    }

    /** Who is told of this endpoint. Loop thread only. */
    public BackendCallbacks callbacks() {
        return callbacks;
    }

    /** Has this endpoint call {@code own}, and no longer the callbacks of its backend. Loop thread only. */
    public void callbacks(BackendCallbacks own) {
        callbacks = own;
    }

    @Override
    public String toString() {
        return "endpoint " + id + (listenEndpoint == null ? " to " : " from ") + Addresses.format(remoteAddress);
    }
}
