// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.backend;

import java.util.Arrays;

/**
 * What each side says once while a connection is being made, for a protocol's handshake. libfabric carries it as the private
 * data of fi_connect(3) and fi_accept(3), which some providers pad at the end; plain TCP as the first bytes of the connection,
 * for which both sides must say equally many, or none.
 */
public final class ConnectionData {
    /**
     * The number of bytes that every provider can carry: verbs' connection manager has 56, and libfabric keeps one for the
     * length.
     */
    public static final int MAX = 55;

    private static final ConnectionData NONE = new ConnectionData(new byte[0]);

    private final byte[] bytes;

    private ConnectionData(byte[] bytes) {
        this.bytes = bytes;
    }

    /** Nothing is said. */
    public static ConnectionData none() {
        return NONE;
    }

    /** A copy of at most {@link #MAX} bytes. */
    public static ConnectionData of(byte... bytes) {
        if (bytes.length > MAX) {
            throw new IllegalArgumentException(bytes.length + " bytes of connection data, and " + MAX + " can be carried");
        }
        return bytes.length == 0 ? NONE : new ConnectionData(bytes.clone());
    }

    /** For backends: of what a peer said, however much that is. */
    public static ConnectionData received(byte[] bytes) {
        return bytes.length == 0 ? NONE : new ConnectionData(bytes);
    }

    public boolean isEmpty() {
        return bytes.length == 0;
    }

    /** A copy. */
    public byte[] bytes() {
        return bytes.clone();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ConnectionData data && Arrays.equals(bytes, data.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    @Override
    public String toString() {
        return bytes.length + " bytes of connection data";
    }
}
