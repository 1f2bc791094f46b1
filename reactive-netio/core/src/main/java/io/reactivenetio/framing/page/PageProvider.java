// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.framing.page;

import io.reactivenetio.connection.Connection;
import io.reactivenetio.connection.ConnectionConfig;
import io.reactivenetio.connection.FramingProvider;
import io.reactivenetio.connection.Session;
import io.reactivenetio.transport.backend.ConnectionParameters;

/**
 * PAGE framing: many messages per buffer, in netio3's page format, without a handshake.
 *
 * @param emptyMessageEnds whether an empty message completes the stream
 * @param closeEnds whether a peer that closes completes the stream, instead of failing it
 * @param watermark the number of bytes at which a page is sent; 0: when no further message fits
 * @param flushNanos how long a page may wait for messages; 0: until the end of the loop's turn
 */
public record PageProvider(boolean emptyMessageEnds, boolean closeEnds, int watermark, long flushNanos)
        implements FramingProvider {
    /** The size of a message's header, tag and status, which the smallest page has to hold. */
    private static final int SMALLEST_PAGE = Integer.BYTES + Long.BYTES + Byte.BYTES;

    @Override
    public ConnectionParameters parameters(ConnectionConfig config, boolean connects) {
        int page = config.sendBufferSize();
        if (page < SMALLEST_PAGE) {
            throw new IllegalArgumentException("PAGE framing needs send buffers of at least " + SMALLEST_PAGE + " bytes, for a"
                    + " message's header: " + page);
        }
        if (watermark > page) {
            throw new IllegalArgumentException("the page watermark of " + watermark + " bytes is more than a page has, which is a"
                    + " send buffer of " + page + " bytes: lower it, or use larger send buffers");
        }
        return config.outboundParameters();
    }

    @Override
    public Session open(Connection connection) {
        connection.refuseHandshake("PAGE");
        return new PageSession(connection, this);
    }
}
