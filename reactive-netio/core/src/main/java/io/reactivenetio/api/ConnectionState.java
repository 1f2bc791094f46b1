// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.api;

import java.net.SocketAddress;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Whether a {@link io.reactivenetio.NetioClient} or {@link io.reactivenetio.pubsub.NetioSubscriber} is connected.
 *
 * @param status what it is
 * @param since since when
 * @param remoteAddress the peer that it is connected to, or was last; null if it never was
 * @param network what carries the last connection that was made; null if there never was one
 * @param reason why it is {@link Status#DISCONNECTED}; null in every other status
 */
public record ConnectionState(Status status, Instant since, @Nullable SocketAddress remoteAddress,
        @Nullable Network network, @Nullable Throwable reason) {

    /** The stages of being connected. */
    public enum Status {
        /** Nobody has asked for a connection yet. */
        NEW,
        /** The first connection, or one more after the last was lost, is being made. */
        CONNECTING,
        /** At least one connection is open. */
        CONNECTED,
        /** The last connection is over or could not be made; {@link ConnectionState#reason} says why. */
        DISCONNECTED
    }

    /** Whether at least one connection is open. */
    public boolean isConnected() {
        return status == Status.CONNECTED;
    }
}
