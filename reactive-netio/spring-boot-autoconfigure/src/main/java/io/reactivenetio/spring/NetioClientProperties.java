// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring;

import io.reactivenetio.api.EndSignal;
import io.reactivenetio.api.LeasePolicy;
import io.reactivenetio.api.SlowPolicy;
import io.reactivenetio.spring.NetioProperties.Buffers;
import io.reactivenetio.spring.NetioProperties.ByteOrder;
import io.reactivenetio.transport.BackendType;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.NestedConfigurationProperty;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * What {@code netio.clients.<name>.*} configures. A setting that is null is the library's own.
 *
 * @param host the name or address of the peer: 127.0.0.1 unless set
 * @param port the port of the peer, which has to be set
 * @param subscriber how to subscribe to what the peer publishes
 * @param credentials who this client says it is, if the server asks; stream framing only
 * @param backend what carries the messages: auto, libfabric, or tcp, which is plain TCP; netio.backend unless set
 * @param provider the libfabric provider; netio.provider unless set
 * @param framing how messages lie in buffers: stream unless set. Both sides must have the same
 * @param receiveBuffers the receive buffers of each connection, which are the credits of the peer
 * @param sendBuffers the send buffers of each connection
 * @param sharedReceiveBuffers receive buffers that connections share instead; raw and page framing only
 * @param sharedSendBuffers send buffers that connections share instead; raw and page framing only
 * @param maxMessageSize the largest message that is received, 64 MB unless set; stream framing only
 * @param reassemblyBudget the memory of a connection for messages that have begun to arrive, 128 MB unless set; stream framing
 *     only
 * @param serveTimeout how long a subscription of the peer waits to be served, 5 s unless set; stream framing only
 * @param maxStreams how many streams the peer may be subscribed to on a connection, 4096 unless set; stream framing only
 * @param prefetch how many messages each stream asks for beyond its subscriber's demand, none unless set; stream framing only
 * @param prefetchBytes the memory for them, 16 MB unless set; stream framing only
 * @param checksums whether to insist on a checksum in every page; stream framing only
 * @param pageWatermark a page leaves as soon as it has so much, unless set when it is full; page framing only
 * @param flushInterval how long a page that is not full waits for more, unless set not at all; page framing only
 * @param endSignal how a stream ends that is received; raw and page framing only
 * @param connectTimeout how long making a connection may take, 5 s unless set
 * @param keepAlive how long a peer that has vanished without a word may go unnoticed, 15 s unless set
 * @param byteOrder the byte order of the buffers that are shown, big-endian unless set
 * @param leasePolicy what happens when leases hold as many receive buffers as they may: copy unless set
 * @param ssl TLS on every connection; none unless a bundle is named
 * @param wiretap whether what connections send and receive is logged, at DEBUG of io.reactivenetio.wiretap; not unless set
 */
public record NetioClientProperties(@Nullable String host, @Nullable Integer port, @DefaultValue Subscriber subscriber,
        @Nullable Credentials credentials,
        @Nullable BackendType backend, @Nullable String provider, @Nullable FramingKind framing,
        @NestedConfigurationProperty @Nullable Buffers receiveBuffers,
        @NestedConfigurationProperty @Nullable Buffers sendBuffers,
        @NestedConfigurationProperty @Nullable Buffers sharedReceiveBuffers,
        @NestedConfigurationProperty @Nullable Buffers sharedSendBuffers, @Nullable DataSize maxMessageSize,
        @Nullable DataSize reassemblyBudget, @Nullable Duration serveTimeout, @Nullable Integer maxStreams,
        @Nullable Integer prefetch, @Nullable DataSize prefetchBytes, @Nullable Boolean checksums,
        @Nullable DataSize pageWatermark, @Nullable Duration flushInterval, @Nullable EndSignal endSignal,
        @Nullable Duration connectTimeout, @Nullable Duration keepAlive, @Nullable ByteOrder byteOrder,
        @Nullable LeasePolicy leasePolicy, @Nullable Ssl ssl, @Nullable Boolean wiretap)
        implements TransportProperties {

    /**
     * TLS of the client's connections.
     *
     * @param bundle the SSL bundle (spring.ssl.bundle.*) that says whom the client trusts, and what it shows if it is asked
     * @param verifyHost whether the server's certificate has to be for the host that is configured: true unless set
     */
    public record Ssl(@Nullable String bundle, @Nullable Boolean verifyHost) implements TransportProperties.SslSettings {
    }

    /**
     * Who this client says it is.
     *
     * @param name the name of the secret
     * @param secret the secret, 16 bytes or more in Base64
     * @param token a token instead, such as a JWT; only with TLS
     */
    public record Credentials(@Nullable String name, @Nullable String secret, @Nullable String token) {
        @Override
        public String toString() {
            return token == null ? "the secret of " + name : "a token";
        }
    }

    /**
     * How to subscribe to what the peer publishes.
     *
     * @param policy what the publisher shall do when this side is slow: what it is configured to do, unless set
     * @param reconnect what to do when the connection is lost
     */
    public record Subscriber(@Nullable SlowPolicy policy, @DefaultValue Reconnect reconnect) {
    }

    /**
     * What to do when the connection is lost, or cannot be made.
     *
     * @param enabled whether to connect and subscribe again, for ever
     * @param minBackoff how long to wait before the first attempt; the wait doubles with each that fails
     * @param maxBackoff how long to wait at most, which is about how long a peer that has come back waits for this side; the
     *     usual one grows with {@code minBackoff}
     */
    public record Reconnect(@DefaultValue("true") boolean enabled, @DefaultValue("100ms") Duration minBackoff,
            @DefaultValue("500ms") Duration maxBackoff) {
        private static final Duration USUAL = Duration.ofMillis(500);

        /** Raises the usual longest wait to a longer first one: who sets only that means both. */
        public Reconnect {
            maxBackoff = maxBackoff.equals(USUAL) && minBackoff.compareTo(USUAL) > 0 ? minBackoff : maxBackoff;
        }
    }
}
