// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import io.reactivenetio.connection.FramingProvider;
import io.reactivenetio.framing.stream.Prefetch;
import io.reactivenetio.framing.stream.StreamConfig;
import io.reactivenetio.framing.stream.StreamProvider;
import io.reactivenetio.transport.backend.Durations;
import io.reactivenetio.wire.Handshake;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** STREAM framing and its settings, see {@link Framing#stream}. */
public final class StreamFraming extends FramingSpec {
    static final StreamFraming DEFAULT = new StreamFraming(64 << 20, 128L << 20, TimeUnit.SECONDS.toNanos(5), 4_096,
            Prefetch.ADAPTIVE, false);

    private final int maxMessage;
    private final long reassemblyBudget;
    private final long serveNanos;
    private final int maxStreams;
    private final Prefetch prefetch;
    private final boolean checksums;

    private StreamFraming(int maxMessage, long reassemblyBudget, long serveNanos, int maxStreams, Prefetch prefetch,
            boolean checksums) {
        super("STREAM");
        this.maxMessage = maxMessage;
        this.reassemblyBudget = reassemblyBudget;
        this.serveNanos = serveNanos;
        this.maxStreams = maxStreams;
        this.prefetch = prefetch;
        this.checksums = checksums;
    }

    /**
     * The largest message that this side receives, in bytes; 64 MiB unless set. It may come in any number of pages.
     * {@link #reassemblyBudget} grows to at least as much.
     *
     * @throws IllegalArgumentException if {@code bytes} is less than 1
     */
    public StreamFraming maxMessageSize(int bytes) {
        if (bytes < 1) {
            throw new IllegalArgumentException("the largest message must have at least 1 byte: " + bytes);
        }
        return new StreamFraming(bytes, Math.max(reassemblyBudget, bytes), serveNanos, maxStreams, prefetch, checksums);
    }

    /** What {@link #maxMessageSize(int)} has set. A protocol that puts bytes before each message adds them to this. */
    public int maxMessageSize() {
        return maxMessage;
    }

    /**
     * How many bytes the messages may have together that have begun to arrive on a connection and not ended; 128 MiB unless set.
     * {@link NetioLoops#reassemblyBudget} bounds the memory for them, of all connections of a loop. Less than
     * {@link #maxMessageSize(int)} is reported when binding or connecting.
     *
     * @throws IllegalArgumentException if {@code bytes} is less than 1
     */
    public StreamFraming reassemblyBudget(long bytes) {
        if (bytes < 1) {
            throw new IllegalArgumentException("the reassembly budget must be at least 1 byte: " + bytes);
        }
        return new StreamFraming(maxMessage, bytes, serveNanos, maxStreams, prefetch, checksums);
    }

    /**
     * How long a subscription of the peer's to a tag waits until somebody here sends on that stream, serves the tag with a
     * publisher, or responds to its requests; 5 s unless set. After that the peer's stream fails with
     * {@link io.reactivenetio.transport.exceptions.NetioStreamException}, code 3. With zero it fails at once, which is for a side
     * that serves no tags. A duration of 292 years or more is for ever.
     *
     * @throws IllegalArgumentException if it is negative
     */
    public StreamFraming serveTimeout(Duration limit) {
        if (limit.isNegative()) {
            throw new IllegalArgumentException("serveTimeout must not be negative: " + limit);
        }
        return new StreamFraming(maxMessage, reassemblyBudget, Durations.nanos(limit), maxStreams, prefetch, checksums);
    }

    /**
     * How many streams of a connection the peer may have subscribed to at a time; 4,096 unless set.
     *
     * @throws IllegalArgumentException if {@code number} is not 0 to 16,777,216
     */
    public StreamFraming maxStreams(int number) {
        if (number < 0 || number > Handshake.MOST_STREAMS) {
            throw new IllegalArgumentException("the number of streams must be 0 to " + Handshake.MOST_STREAMS + ": " + number);
        }
        return new StreamFraming(maxMessage, reassemblyBudget, serveNanos, number, prefetch, checksums);
    }

    /**
     * How many messages each stream asks the peer for beyond its subscriber's demand, of 16 MiB together at most. With 0 the peer
     * is asked for exactly the demand. Unless set, each stream adapts: it is exact until the subscriber's second request. From
     * then on it is ahead by as many messages as the subscriber takes in about two round trips, or in 4 ms, so a slow subscriber
     * is ahead by one. {@link io.reactivenetio.api.NetioStream#prefetch(int)} says more, and sets it for one stream.
     *
     * @throws IllegalArgumentException if {@code messages} is negative
     */
    public StreamFraming prefetch(int messages) {
        return prefetch(Prefetch.of(messages));
    }

    /**
     * {@link #prefetch(int)} with a limit of {@code bytes} instead of 16 MiB. {@link
     * io.reactivenetio.api.NetioStream#prefetch(int, long)} says how the limit works.
     *
     * @throws IllegalArgumentException if {@code messages} is negative, or {@code bytes} is less than 1
     */
    public StreamFraming prefetch(int messages, long bytes) {
        return prefetch(new Prefetch(messages, bytes));
    }

    private StreamFraming prefetch(Prefetch ahead) {
        return new StreamFraming(maxMessage, reassemblyBudget, serveNanos, maxStreams, ahead, checksums);
    }

    /** Whether to insist on a checksum (CRC-32C) in every page of both sides. It is off unless set. */
    public StreamFraming checksums(boolean wanted) {
        return new StreamFraming(maxMessage, reassemblyBudget, serveNanos, maxStreams, prefetch, wanted);
    }

    @Override
    FramingProvider provider(Duration keepAlive) {
        return new StreamProvider(new StreamConfig(maxMessage, reassemblyBudget, maxStreams, StreamConfig.interval(keepAlive),
                checksums, prefetch, serveNanos));
    }
}
