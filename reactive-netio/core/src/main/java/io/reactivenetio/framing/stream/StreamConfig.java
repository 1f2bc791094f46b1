// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.framing.stream;

import io.reactivenetio.transport.backend.Durations;
import io.reactivenetio.wire.Handshake;
import java.time.Duration;

/**
 * What this side allows and promises with STREAM framing.
 *
 * @param maxMessage bytes of the largest message it receives
 * @param reassemblyBudget bytes of received messages that may have begun and not ended at a time
 * @param maxStreams how many streams the peer may have subscribed to at a time
 * @param keepAliveMillis it sends something at least this often; 0: no promise
 * @param checksums whether it insists on a CRC-32C in every page
 * @param prefetch how far its streams ask ahead, of which the peer need not know
 * @param serveNanos how long a subscription of the peer's waits to be served; Long.MAX_VALUE is for ever
 */
public record StreamConfig(int maxMessage, long reassemblyBudget, int maxStreams, int keepAliveMillis, boolean checksums,
        Prefetch prefetch, long serveNanos) {
    /** Receive buffers for pages of control frames, besides the user's. */
    static final int CONTROL_PAGES = 8;
    /** Send buffers for pages of control frames, besides the user's. */
    static final int CONTROL_BUFFERS = 2;

    /**
     * The interval of signs of life with which the peer notices within {@code silence} that this side has gone, as far as an
     * interval from 10 ms to an hour allows.
     */
    public static int interval(Duration silence) {
        return Math.clamp(Durations.millis(silence) / KeepAlive.MISSED, Handshake.SHORTEST_KEEP_ALIVE,
                Handshake.LONGEST_KEEP_ALIVE);
    }

    /**
     * The handshake that the peer is sent. {@code around}: the features of what is between it and the first page.
     *
     * @throws IllegalArgumentException if a value makes no sense
     */
    Handshake handshake(boolean connects, int pageSize, int dataPages, int around) {
        int supported = Handshake.CRC32C | Handshake.RUNS | Handshake.REQUEST_HEADERS | around;
        return new Handshake(connects ? Handshake.Role.CONNECTS : Handshake.Role.ACCEPTS, Handshake.LOWEST_VERSION,
                Handshake.HIGHEST_VERSION, Handshake.STREAM, supported, (checksums ? Handshake.CRC32C : 0) | around, pageSize,
                dataPages, CONTROL_PAGES, maxMessage, maxStreams, reassemblyBudget, keepAliveMillis);
    }
}
