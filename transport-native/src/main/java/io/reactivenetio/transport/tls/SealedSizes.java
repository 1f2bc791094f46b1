// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.tls;

import io.reactivenetio.transport.backend.ConnectionData;
import io.reactivenetio.transport.backend.ConnectionParameters;

/**
 * How large messages become when they are sealed. Both sides have to come to the same result, because a sender fills its messages
 * up to what the receiver has said that it takes.
 */
public final class SealedSizes {
    /** The largest content of a TLS record in bytes (RFC 8446, section 5.1). */
    private static final int RECORD = 16 * 1024;
    /** What any cipher suite adds to a record at most: header, initialization vector, MAC, padding. */
    private static final int RECORD_OVERHEAD = 352;
    /** Room for what the engine says of its own beside a message, such as the renewal of keys. */
    private static final int EXTRA = 1024;
    /** What an engine wants to see free before it writes a record, however small that is. */
    static final int RECORD_ROOM = RECORD + 512;
    /** What a message of the handshake has at most before a further record is added to it. */
    static final int SMALL_MESSAGE = 1024;
    /** What every buffer has at least, so that there is room for any message of the handshake. */
    private static final int SMALLEST = RECORD_ROOM + SMALL_MESSAGE;
    /** Receive buffers for messages of the engines' own. */
    private static final int OWN_RECEIVES = 4;
    /** Send buffers for messages of the engine's own. */
    private static final int OWN_SENDS = 2;
    /** The byte behind a message that says what it is for. */
    static final int KIND = 1;
    /** The kind of the user's messages. */
    static final byte DATA = 0;
    /** The kind of the first message. */
    static final byte GREETING = 1;

    private SealedSizes() {
    }

    private static int sealed(int bytes) {
        long size = (long) bytes + KIND + (bytes / RECORD + 1L) * RECORD_OVERHEAD + EXTRA;
        if (size > ConnectionParameters.MAX_BUFFER_SIZE) {
            throw new IllegalArgumentException("buffers of " + bytes + " bytes are too large for TLS, which makes " + size
                    + " bytes of them");
        }
        return (int) size;
    }

    /**
     * Returns the parameters of an endpoint whose messages are sealed.
     *
     * @param plain those of the connection above it
     * @throws IllegalArgumentException if sealed messages would be too large for a buffer, or receive buffers are shared
     */
    public static ConnectionParameters of(ConnectionParameters plain) {
        if (plain.shareReceiveBuffers()) {
            throw new IllegalArgumentException("secure(…) and shared receive buffers do not go together: each connection opens"
                    + " messages into buffers of its own");
        }
        boolean slices = plain.region() != null;
        int largest = Math.max(plain.sendBuffers() > 0 ? plain.sendBufferSize() : 0, slices ? plain.zeroCopySize() : 0);
        int receives = Math.max(SMALLEST, sealed(plain.receiveBuffers() > 0 ? plain.receiveBufferSize() : 0));
        int sends = plain.sendBuffers() + (slices ? plain.zeroCopySends() : 0) + OWN_SENDS;
        ConnectionData data = plain.data();
        return new ConnectionParameters(receives, atMost(plain.receiveBuffers() + OWN_RECEIVES),
                Math.max(SMALLEST, sealed(largest)), atMost(sends)).withData(data).withPeerSpeakingFirst();
    }

    private static int atMost(int buffers) {
        return Math.min(buffers, ConnectionParameters.MAX_BUFFERS);
    }
}
