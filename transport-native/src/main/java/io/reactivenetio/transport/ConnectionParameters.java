// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport;

/**
 * The buffers of each connection that a listen endpoint accepts or an active endpoint opens. They are allocated and registered
 * when the connection is made, and are all the message memory it will ever use.
 *
 * @param receiveBufferSize bytes per receive buffer; a larger message is an error at the receiver
 * @param receiveBuffers how many receive buffers: the credits of the connection
 * @param sendBufferSize bytes per send buffer: the largest message that can be sent
 * @param sendBuffers how many send buffers: the most messages in flight
 */
public record ConnectionParameters(int receiveBufferSize, int receiveBuffers, int sendBufferSize, int sendBuffers) {
    /** One message stays below the 64 KiB that loopback and jumbo-frame TCP segments cut in two. */
    public static final int DEFAULT_BUFFER_SIZE = 60 * 1024;

    /** 2 x 32 x 60 KiB stays below the usual 8 MiB of lockable memory twice over. */
    public static final int DEFAULT_BUFFERS = 32;

    /** Buffers per direction are addressed with this many at most. */
    public static final int MAX_BUFFERS = 1 << 20;

    public ConnectionParameters {
        check("receive", receiveBufferSize, receiveBuffers);
        check("send", sendBufferSize, sendBuffers);
    }

    private static void check(String side, int size, int number) {
        if (size < 1) {
            throw new IllegalArgumentException(side + " buffer size must be at least 1 byte: " + size);
        }
        if (number < 1 || number > MAX_BUFFERS) {
            throw new IllegalArgumentException(side + " buffers must be between 1 and " + MAX_BUFFERS + ": " + number);
        }
    }

    /** 32 buffers of 60 KiB in each direction. */
    public static ConnectionParameters defaults() {
        return new ConnectionParameters(DEFAULT_BUFFER_SIZE, DEFAULT_BUFFERS, DEFAULT_BUFFER_SIZE, DEFAULT_BUFFERS);
    }

    public ConnectionParameters withReceiveBuffers(int size, int number) {
        return new ConnectionParameters(size, number, sendBufferSize, sendBuffers);
    }

    public ConnectionParameters withSendBuffers(int size, int number) {
        return new ConnectionParameters(receiveBufferSize, receiveBuffers, size, number);
    }
}
