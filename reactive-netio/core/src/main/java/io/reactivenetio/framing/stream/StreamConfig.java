// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.framing.stream;

import io.reactivenetio.transport.Durations;
import io.reactivenetio.wire.Handshake;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

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
 * @param requestHeaders whether it reads the headers of requests, and writes some
 */
public record StreamConfig(int maxMessage, long reassemblyBudget, int maxStreams, int keepAliveMillis, boolean checksums,
        Prefetch prefetch, long serveNanos, boolean requestHeaders) {
    /** Receive buffers for pages of control frames, besides the user's. */
    static final int CONTROL_PAGES = 8;
    /** Send buffers for pages of control frames, besides the user's. */
    static final int CONTROL_BUFFERS = 2;

    private static final int DEFAULT_MAX_MESSAGE = 64 << 20;
    private static final long DEFAULT_BUDGET = 128L << 20;
    private static final int DEFAULT_STREAMS = 4_096;
    private static final int DEFAULT_KEEP_ALIVE_MILLIS = 5_000;
    private static final long DEFAULT_SERVE_NANOS = TimeUnit.SECONDS.toNanos(5);

    /**
     * The defaults: messages of up to 64 MiB, of which parts of 128 MiB may have arrived; 4,096 streams; something sent every 5
     * s; no checksums.
     */
    public static StreamConfig defaults() {
        return new StreamConfig(DEFAULT_MAX_MESSAGE, DEFAULT_BUDGET, DEFAULT_STREAMS, DEFAULT_KEEP_ALIVE_MILLIS, false,
                Prefetch.ADAPTIVE, DEFAULT_SERVE_NANOS, false);
    }

    /** Sets the largest message to {@code bytes}. The budget grows to at least that. */
    public StreamConfig withMaxMessage(int bytes) {
        return new StreamConfig(bytes, Math.max(reassemblyBudget, bytes), maxStreams, keepAliveMillis, checksums, prefetch,
                serveNanos, requestHeaders);
    }

    public StreamConfig withReassemblyBudget(long bytes) {
        return new StreamConfig(maxMessage, bytes, maxStreams, keepAliveMillis, checksums, prefetch, serveNanos,
                requestHeaders);
    }

    public StreamConfig withMaxStreams(int number) {
        return new StreamConfig(maxMessage, reassemblyBudget, number, keepAliveMillis, checksums, prefetch, serveNanos,
                requestHeaders);
    }

    /**
     * Sets the interval so that the peer notices within {@code limit} that this side has gone, as far as an interval from 10 ms
     * to an hour allows.
     */
    public StreamConfig withSilence(Duration limit) {
        long interval = Math.clamp(Durations.millis(limit) / KeepAlive.MISSED, Handshake.SHORTEST_KEEP_ALIVE,
                Handshake.LONGEST_KEEP_ALIVE);
        return new StreamConfig(maxMessage, reassemblyBudget, maxStreams, (int) interval, checksums, prefetch, serveNanos,
                requestHeaders);
    }

    public StreamConfig withChecksums(boolean wanted) {
        return new StreamConfig(maxMessage, reassemblyBudget, maxStreams, keepAliveMillis, wanted, prefetch, serveNanos,
                requestHeaders);
    }

    public StreamConfig withPrefetch(Prefetch ahead) {
        return new StreamConfig(maxMessage, reassemblyBudget, maxStreams, keepAliveMillis, checksums, ahead, serveNanos,
                requestHeaders);
    }

    /** Sets how long a subscription of the peer's waits to be served. */
    public StreamConfig withServeNanos(long nanos) {
        return new StreamConfig(maxMessage, reassemblyBudget, maxStreams, keepAliveMillis, checksums, prefetch, nanos,
                requestHeaders);
    }

    /** Sets whether this side reads the headers of requests, and writes some if the peer reads them. */
    public StreamConfig withRequestHeaders(boolean wanted) {
        return new StreamConfig(maxMessage, reassemblyBudget, maxStreams, keepAliveMillis, checksums, prefetch, serveNanos,
                wanted);
    }

    /**
     * The handshake that the peer is sent.
     *
     * @throws IllegalArgumentException if a value makes no sense
     */
    Handshake handshake(boolean connects, int pageSize, int dataPages) {
        int supported = Handshake.CRC32C | Handshake.RUNS | (requestHeaders ? Handshake.REQUEST_HEADERS : 0);
        return new Handshake(connects ? Handshake.Role.CONNECTS : Handshake.Role.ACCEPTS, Handshake.LOWEST_VERSION,
                Handshake.HIGHEST_VERSION, Handshake.STREAM, supported, checksums ? Handshake.CRC32C : 0, pageSize, dataPages,
                CONTROL_PAGES, maxMessage, maxStreams, reassemblyBudget, keepAliveMillis);
    }
}
