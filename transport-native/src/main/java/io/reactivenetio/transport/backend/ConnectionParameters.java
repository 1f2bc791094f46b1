// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.backend;

import org.jspecify.annotations.Nullable;

/**
 * The buffers of each connection that a listen endpoint accepts or an active endpoint opens. They are allocated and registered
 * when the connection is made, and are all the message memory it will ever use. Number 0, or no region, means that the capability
 * is not asked for; see {@link Capabilities}.
 *
 * <p>Where the backend's configuration has shared buffers, they are used, and the number here is 0 for that direction.
 *
 * @param receiveBufferSize bytes per receive buffer; a larger message is an error at the receiver
 * @param receiveBuffers how many receive buffers: the credits of the connection
 * @param shareReceiveBuffers whether the connections of one listen endpoint share those receive buffers
 * @param sendBufferSize bytes per send buffer: the largest message that can be sent buffered
 * @param sendBuffers how many send buffers: the most buffered messages in flight
 * @param region where zero-copy sends are from; null for none
 * @param zeroCopySize bytes of the largest zero-copy message, header included
 * @param zeroCopySends the most zero-copy messages in flight
 * @param data what this side says while the connection is made
 * @param peerSpeaksFirst for a listen endpoint: whether its peers send the first message, and wait for an answer. Then a backend
 *        may wait for that message before it allocates anything
 */
public record ConnectionParameters(int receiveBufferSize, int receiveBuffers, boolean shareReceiveBuffers, int sendBufferSize,
        int sendBuffers, @Nullable MemoryRegion region, int zeroCopySize, int zeroCopySends, ConnectionData data,
        boolean peerSpeaksFirst) {
    /** One message stays below the 64 KiB that loopback and jumbo-frame TCP segments cut in two. */
    public static final int DEFAULT_BUFFER_SIZE = 60 * 1024;

    /** 2 x 32 x 60 KiB stays below the usual 8 MiB of lockable memory twice over. */
    public static final int DEFAULT_BUFFERS = 32;

    /** Buffers per direction are addressed with this many at most. */
    public static final int MAX_BUFFERS = 1 << 20;

    /** Bytes of a buffer at most: of one {@link java.nio.ByteBuffer}. */
    public static final int MAX_BUFFER_SIZE = Integer.MAX_VALUE - 8;

    /** Zero-copy sends in flight unless said otherwise. */
    public static final int DEFAULT_ZERO_COPY_SENDS = 64;

    public ConnectionParameters {
        check("receive", receiveBufferSize, receiveBuffers);
        requireSize("receive buffer size", receiveBuffers > 0 ? receiveBufferSize : 0);
        check("send", sendBufferSize, sendBuffers);
        requireSize("send buffer size", sendBuffers > 0 ? sendBufferSize : 0);
        if (region != null) {
            check("zero-copy", zeroCopySize, zeroCopySends);
            if (zeroCopySends == 0) {
                throw new IllegalArgumentException("a region, but no zero-copy sends in flight");
            }
        }
        if (shareReceiveBuffers && receiveBuffers == 0) {
            throw new IllegalArgumentException("no receive buffers to share");
        }
    }

    /** {@code receiveBuffers} and {@code sendBuffers} of the connection's own, no zero-copy. */
    public ConnectionParameters(int receiveBufferSize, int receiveBuffers, int sendBufferSize, int sendBuffers) {
        this(receiveBufferSize, receiveBuffers, false, sendBufferSize, sendBuffers, null, 0, 0, ConnectionData.none(), false);
    }

    private static void check(String side, int size, int number) {
        if (number < 0 || number > MAX_BUFFERS) {
            throw new IllegalArgumentException(side + " buffers must be between 0 and " + MAX_BUFFERS + ": " + number);
        }
        if (number > 0 && size < 1) {
            throw new IllegalArgumentException(side + " buffer size must be at least 1 byte: " + size);
        }
    }

    static void requireSize(String what, int size) {
        if (size > MAX_BUFFER_SIZE) {
            throw new IllegalArgumentException(what + " must be at most " + MAX_BUFFER_SIZE + " bytes: " + size);
        }
    }

    /** 32 buffers of 60 KiB in each direction. */
    public static ConnectionParameters defaults() {
        return new ConnectionParameters(DEFAULT_BUFFER_SIZE, DEFAULT_BUFFERS, DEFAULT_BUFFER_SIZE, DEFAULT_BUFFERS);
    }

    public ConnectionParameters withReceiveBuffers(int size, int number) {
        return new ConnectionParameters(size, number, shareReceiveBuffers && number > 0, sendBufferSize, sendBuffers, region,
                zeroCopySize, zeroCopySends, data, peerSpeaksFirst);
    }

    /** For a listen endpoint: its receive buffers are for all its connections together. */
    public ConnectionParameters withSharedReceiveBuffers(int size, int number) {
        return new ConnectionParameters(size, number, true, sendBufferSize, sendBuffers, region, zeroCopySize,
                zeroCopySends, data, peerSpeaksFirst);
    }

    public ConnectionParameters withSendBuffers(int size, int number) {
        return new ConnectionParameters(receiveBufferSize, receiveBuffers, shareReceiveBuffers, size, number, region,
                zeroCopySize, zeroCopySends, data, peerSpeaksFirst);
    }

    /** Zero-copy sends from {@code source} of at most {@code size} bytes, 64 of them in flight at most. */
    public ConnectionParameters withZeroCopy(MemoryRegion source, int size) {
        return withZeroCopy(source, size, DEFAULT_ZERO_COPY_SENDS);
    }

    /** Zero-copy sends from {@code source} of at most {@code size} bytes, {@code number} of them in flight at most. */
    public ConnectionParameters withZeroCopy(MemoryRegion source, int size, int number) {
        return new ConnectionParameters(receiveBufferSize, receiveBuffers, shareReceiveBuffers, sendBufferSize, sendBuffers,
                source, size, number, data, peerSpeaksFirst);
    }

    /**
     * Returns parameters with something to say to the peer while the connection is made; its own is {@link Endpoint#peerData}.
     */
    public ConnectionParameters withData(ConnectionData said) {
        return new ConnectionParameters(receiveBufferSize, receiveBuffers, shareReceiveBuffers, sendBufferSize, sendBuffers,
                region, zeroCopySize, zeroCopySends, said, peerSpeaksFirst);
    }

    /** Returns parameters of a listen endpoint whose peers send the first message. */
    public ConnectionParameters withPeerSpeakingFirst() {
        return new ConnectionParameters(receiveBufferSize, receiveBuffers, shareReceiveBuffers, sendBufferSize, sendBuffers,
                region, zeroCopySize, zeroCopySends, data, true);
    }
}
