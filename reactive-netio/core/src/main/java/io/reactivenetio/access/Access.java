// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.access;

import io.reactivenetio.api.NetioAuthenticator;
import io.reactivenetio.api.NetioAuthorizer;
import io.reactivenetio.api.NetioCredentials;
import org.jspecify.annotations.Nullable;

/**
 * Who may connect, and what they may do.
 *
 * @param networks those that a server's clients may connect from
 * @param connectionsOfAddress how many connections each address may have with a server; Integer.MAX_VALUE for any number
 * @param credentials what a client shows; null for nothing
 * @param authenticator whom a server asks who its clients are; null if they show nothing
 * @param delays of that server's answers
 * @param authorizer decides what a server's clients may do; null if they may do everything
 */
public record Access(AllowedNetworks networks, int connectionsOfAddress, @Nullable NetioCredentials credentials,
        @Nullable NetioAuthenticator authenticator, FailureDelays delays, @Nullable NetioAuthorizer authorizer) {
    /** Everybody may do everything. */
    public static final Access NONE = new Access(AllowedNetworks.ALL, Integer.MAX_VALUE, null, null,
            new FailureDelays(System::nanoTime), null);

    public Access withNetworks(AllowedNetworks value) {
        return new Access(value, connectionsOfAddress, credentials, authenticator, delays, authorizer);
    }

    /**
     * With another limit.
     *
     * @throws IllegalArgumentException if it is less than 1
     */
    public Access withConnectionsOfAddress(int value) {
        if (value < 1) {
            throw new IllegalArgumentException("maxConnectionsPerAddress must be at least 1: " + value);
        }
        return new Access(networks, value, credentials, authenticator, delays, authorizer);
    }

    public Access withCredentials(NetioCredentials value) {
        return new Access(networks, connectionsOfAddress, value, authenticator, delays, authorizer);
    }

    public Access withAuthenticator(NetioAuthenticator value) {
        return new Access(networks, connectionsOfAddress, credentials, value, new FailureDelays(System::nanoTime), authorizer);
    }

    public Access withAuthorizer(NetioAuthorizer value) {
        return new Access(networks, connectionsOfAddress, credentials, authenticator, delays, value);
    }

    /** Whether clients show their credentials before anything else is said. */
    public boolean hasExchange() {
        return credentials != null || authenticator != null;
    }
}
