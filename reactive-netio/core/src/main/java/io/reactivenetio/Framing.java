// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import io.reactivenetio.api.EndSignal;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.connection.FramingProvider;
import io.reactivenetio.framing.page.PageProvider;
import io.reactivenetio.framing.raw.RawProvider;
import io.reactivenetio.framing.stream.Prefetch;
import io.reactivenetio.framing.stream.StreamConfig;
import io.reactivenetio.framing.stream.StreamProvider;
import io.reactivenetio.transport.backend.BackendConfig;
import io.reactivenetio.transport.backend.ConnectionParameters;
import io.reactivenetio.transport.backend.Durations;
import io.reactivenetio.transport.backend.MemoryRegion;
import io.reactivenetio.transport.backend.SharedBuffers;
import io.reactivenetio.wire.Handshake;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The way in which messages are put on a connection, with the settings that only this way has: {@link #stream}, which is the
 * default, {@link #page} or {@link #raw}. Both sides must be configured alike: the framing is never guessed.
 *
 * <p>A framing is immutable: each setting returns a changed copy. A setting throws {@link IllegalArgumentException} at once if
 * its value alone is wrong. All methods may be called on any thread.
 */
public abstract sealed class Framing permits Framing.Plain, Framing.Stream {
    private final String name;

    Framing(String name) {
        this.name = name;
    }

    /**
     * One message per buffer, with nothing added and no handshake. The peer can be any program that uses the same transport. The
     * receiver's demand is its posted receive buffers. {@link EndSignal} says how a stream ends.
     */
    public static Raw raw() {
        return Raw.DEFAULT;
    }

    /**
     * Many messages per buffer, each with a 64-bit tag and a status byte, in the page format that netio3 documents, without a
     * handshake. A page is a send buffer and has to fit the peer's receive buffers. A message has to fit a page with its header
     * of 12 or 13 bytes. As with RAW the receiver's demand is its posted receive buffers, for all tags together: messages that
     * nobody asks for hold up those behind them. The sender sees a cancel only as a peer that takes nothing more. {@link
     * EndSignal} says how a stream ends.
     */
    public static Page page() {
        return Page.DEFAULT;
    }

    /**
     * Reactive Streams across the wire, and the default. The receiver's demand and cancel reach the sender exactly, and so do
     * the sender's completion and error the receiver. Many streams share a connection, see {@link NetioConnection#stream}. Small
     * messages share a page, and large ones take several. Both sides begin with a handshake; docs/wire-format.md has the bytes.
     * There are no shared buffers, regions or {@link EndSignal}.
     */
    public static Stream stream() {
        return Stream.DEFAULT;
    }

    /** {@code common} with the shared buffers, if there are some. */
    BackendConfig backend(BackendConfig common) {
        return common;
    }

    /** {@code common} with the region, if there is one. */
    ConnectionParameters buffers(ConnectionParameters common) {
        return common;
    }

    /** This framing in the terms of the floors below. STREAM framing promises a sign of life. */
    abstract FramingProvider provider(Duration keepAlive);

    /** Its name: RAW, PAGE or STREAM. */
    @Override
    public final String toString() {
        return name;
    }

    /**
     * The settings that {@link Raw} and {@link Page} have in common. They have no handshake, and promise no buffers to the peer.
     *
     * @param <T> what a setting returns: {@code Raw} or {@code Page}
     */
    public abstract static sealed class Plain<T extends Plain<T>> extends Framing permits Raw, Page {
        private final Common common;

        /** Null: each connection has buffers of its own. */
        record Common(EndSignal end, @Nullable SharedBuffers receiveBuffers, @Nullable SharedBuffers sendBuffers) {
            static final Common DEFAULT = new Common(EndSignal.ERROR, null, null);
        }

        Plain(String name, Common common) {
            super(name);
            this.common = common;
        }

        /** This framing with other settings of these. */
        abstract T with(Common changed);

        final Common common() {
            return common;
        }

        final boolean emptyMessageEnds() {
            return common.end == EndSignal.EMPTY_MESSAGE;
        }

        final boolean closeEnds() {
            return common.end == EndSignal.PEER_CLOSE;
        }

        @Override
        final BackendConfig backend(BackendConfig all) {
            return all.withSharedReceiveBuffers(common.receiveBuffers).withSharedSendBuffers(common.sendBuffers);
        }

        /** How a received stream ends: {@link EndSignal#ERROR} unless set. */
        public final T endSignal(EndSignal end) {
            return with(new Common(end, common.receiveBuffers, common.sendBuffers));
        }

        /**
         * Lets connections share {@code number} receive buffers of {@code size} bytes, instead of those that {@link
         * NetioTransport#receiveBuffers} gives each. Those connections share them that one loop runs for servers and clients with
         * the same settings. Memory then stays the same however many connections there are. A message that nobody asks for keeps
         * one buffer from all of them; docs/backend.md says how the buffers are shared out. They stay until the loop ends.
         *
         * @throws IllegalArgumentException if {@code number} is not 1 to 1,048,576, or {@code size} is less than 1
         */
        public final T sharedReceiveBuffers(int size, int number) {
            return with(new Common(common.end, new SharedBuffers(size, number), common.sendBuffers));
        }

        /**
         * Lets connections share {@code number} send buffers of {@code size} bytes, instead of those that {@link
         * NetioTransport#sendBuffers} gives each. The connections that share them, and how long the buffers stay, are those of
         * {@link #sharedReceiveBuffers}. Three more than asked for are allocated.
         *
         * @throws IllegalArgumentException if {@code number} is not 1 to 1,048,576, or {@code size} is less than 1
         */
        public final T sharedSendBuffers(int size, int number) {
            return with(new Common(common.end, common.receiveBuffers, new SharedBuffers(size, number)));
        }
    }

    /** RAW framing and its settings, see {@link Framing#raw}. */
    public static final class Raw extends Plain<Raw> {
        static final Raw DEFAULT = new Raw(Common.DEFAULT, null);

        private final @Nullable Sends sends;

        /** Sends without copying: from where, how large, and how many in flight at most. */
        private record Sends(MemoryRegion region, int largest, int number) {
            ConnectionParameters addedTo(ConnectionParameters common) {
                return common.withZeroCopy(region, largest, number);
            }
        }

        private Raw(Common common, @Nullable Sends sends) {
            super("RAW", common);
            this.sends = sends;
        }

        @Override
        Raw with(Common changed) {
            return new Raw(changed, sends);
        }

        /**
         * Lets connections send from {@code region} without copying, see {@link io.reactivenetio.api.NetioOutbound#sendRegion}. A
         * message has at most 8 MiB and at most the region and a header. At most 64 are in flight.
         */
        public Raw region(NetioRegion region) {
            return region(region, region.largestMessage(), ConnectionParameters.DEFAULT_ZERO_COPY_SENDS);
        }

        /**
         * Lets connections send from {@code region} without copying, with limits of one's own instead of those of
         * {@link #region(NetioRegion)}.
         *
         * @param largest bytes of the largest message, with its header
         * @param number how many messages are in flight at most
         * @throws IllegalArgumentException if {@code largest} is less than 1, or {@code number} is not 1 to 1,048,576
         */
        public Raw region(NetioRegion region, int largest, int number) {
            Sends added = new Sends(region.memory(), largest, number);
            added.addedTo(ConnectionParameters.defaults()); // refuses what is wrong
            return new Raw(common(), added);
        }

        @Override
        ConnectionParameters buffers(ConnectionParameters common) {
            return sends == null ? common : sends.addedTo(common);
        }

        @Override
        FramingProvider provider(Duration keepAlive) {
            return new RawProvider(emptyMessageEnds(), closeEnds());
        }
    }

    /** PAGE framing and its settings, see {@link Framing#page}. */
    public static final class Page extends Plain<Page> {
        static final Page DEFAULT = new Page(Common.DEFAULT, 0, 0);

        private static final Duration LONGEST = Duration.ofHours(1);

        private final int watermark;
        private final long flushNanos;

        private Page(Common common, int watermark, long flushNanos) {
            super("PAGE", common);
            this.watermark = watermark;
            this.flushNanos = flushNanos;
        }

        @Override
        Page with(Common changed) {
            return new Page(changed, watermark, flushNanos);
        }

        /**
         * A page leaves as soon as it has {@code bytes} bytes. Unless set, it leaves when no further message fits. A page is a
         * send buffer. A watermark beyond its size is reported when binding or connecting.
         *
         * @throws IllegalArgumentException if {@code bytes} is less than 1
         */
        public Page watermark(int bytes) {
            if (bytes < 1) {
                throw new IllegalArgumentException("the page watermark must be at least 1 byte: " + bytes);
            }
            return new Page(common(), bytes, flushNanos);
        }

        /**
         * How long a page that is not full waits for further messages. It is 0 unless set: the page leaves at the end of the
         * loop's turn, with the messages of that turn, and waits for no others.
         *
         * @throws IllegalArgumentException if {@code interval} is negative or longer than an hour
         */
        public Page flushInterval(Duration interval) {
            if (interval.isNegative() || interval.compareTo(LONGEST) > 0) {
                throw new IllegalArgumentException("the flush interval must be between 0 and an hour: " + interval);
            }
            return new Page(common(), watermark, interval.toNanos());
        }

        @Override
        FramingProvider provider(Duration keepAlive) {
            return new PageProvider(emptyMessageEnds(), closeEnds(), watermark, flushNanos);
        }
    }

    /** STREAM framing and its settings, see {@link Framing#stream}. */
    public static final class Stream extends Framing {
        static final Stream DEFAULT = new Stream(64 << 20, 128L << 20, TimeUnit.SECONDS.toNanos(5), 4_096,
                Prefetch.ADAPTIVE, false);

        private final int maxMessage;
        private final long reassemblyBudget;
        private final long serveNanos;
        private final int maxStreams;
        private final Prefetch prefetch;
        private final boolean checksums;

        private Stream(int maxMessage, long reassemblyBudget, long serveNanos, int maxStreams, Prefetch prefetch,
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
        public Stream maxMessageSize(int bytes) {
            if (bytes < 1) {
                throw new IllegalArgumentException("the largest message must have at least 1 byte: " + bytes);
            }
            return new Stream(bytes, Math.max(reassemblyBudget, bytes), serveNanos, maxStreams, prefetch, checksums);
        }

        /** What {@link #maxMessageSize(int)} has set. A protocol that puts bytes before each message adds them to this. */
        public int maxMessageSize() {
            return maxMessage;
        }

        /**
         * How many bytes the messages may have together that have begun to arrive on a connection and not ended; 128 MiB unless
         * set. {@link NetioLoops#reassemblyBudget} bounds the memory for them, of all connections of a loop. Less than {@link
         * #maxMessageSize(int)} is reported when binding or connecting.
         *
         * @throws IllegalArgumentException if {@code bytes} is less than 1
         */
        public Stream reassemblyBudget(long bytes) {
            if (bytes < 1) {
                throw new IllegalArgumentException("the reassembly budget must be at least 1 byte: " + bytes);
            }
            return new Stream(maxMessage, bytes, serveNanos, maxStreams, prefetch, checksums);
        }

        /**
         * How long a subscription of the peer's to a tag waits until somebody here sends on that stream, serves the tag with a
         * publisher, or responds to its requests; 5 s unless set. After that the peer's stream fails with {@link
         * io.reactivenetio.transport.exceptions.NetioStreamException}, code 3. With zero it fails at once, which is for a side
         * that serves no tags. A duration of 292 years or more is for ever.
         *
         * @throws IllegalArgumentException if it is negative
         */
        public Stream serveTimeout(Duration limit) {
            if (limit.isNegative()) {
                throw new IllegalArgumentException("serveTimeout must not be negative: " + limit);
            }
            return new Stream(maxMessage, reassemblyBudget, Durations.nanos(limit), maxStreams, prefetch, checksums);
        }

        /**
         * How many streams of a connection the peer may have subscribed to at a time; 4,096 unless set.
         *
         * @throws IllegalArgumentException if {@code number} is not 0 to 16,777,216
         */
        public Stream maxStreams(int number) {
            if (number < 0 || number > Handshake.MOST_STREAMS) {
                throw new IllegalArgumentException("the number of streams must be 0 to " + Handshake.MOST_STREAMS + ": "
                        + number);
            }
            return new Stream(maxMessage, reassemblyBudget, serveNanos, number, prefetch, checksums);
        }

        /**
         * How many messages each stream asks the peer for beyond its subscriber's demand, of 16 MiB together at most. With 0 the
         * peer is asked for exactly the demand. Unless set, each stream adapts: it is exact until the subscriber's second
         * request. From then on it is ahead by as many messages as the subscriber takes in about two round trips, or in 4 ms, so
         * a slow subscriber is ahead by one. {@link io.reactivenetio.api.NetioStream#prefetch(int)} says more, and sets it for
         * one stream.
         *
         * @throws IllegalArgumentException if {@code messages} is negative
         */
        public Stream prefetch(int messages) {
            return prefetch(Prefetch.of(messages));
        }

        /**
         * {@link #prefetch(int)} with a limit of {@code bytes} instead of 16 MiB. {@link
         * io.reactivenetio.api.NetioStream#prefetch(int, long)} says how the limit works.
         *
         * @throws IllegalArgumentException if {@code messages} is negative, or {@code bytes} is less than 1
         */
        public Stream prefetch(int messages, long bytes) {
            return prefetch(new Prefetch(messages, bytes));
        }

        private Stream prefetch(Prefetch ahead) {
            return new Stream(maxMessage, reassemblyBudget, serveNanos, maxStreams, ahead, checksums);
        }

        /** Whether to insist on a checksum (CRC-32C) in every page of both sides. It is off unless set. */
        public Stream checksums(boolean wanted) {
            return new Stream(maxMessage, reassemblyBudget, serveNanos, maxStreams, prefetch, wanted);
        }

        @Override
        FramingProvider provider(Duration keepAlive) {
            return new StreamProvider(new StreamConfig(maxMessage, reassemblyBudget, maxStreams, StreamConfig.interval(keepAlive),
                    checksums, prefetch, serveNanos));
        }
    }
}
