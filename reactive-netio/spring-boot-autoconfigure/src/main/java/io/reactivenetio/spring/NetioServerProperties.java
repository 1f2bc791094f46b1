// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring;

import io.reactivenetio.api.EndSignal;
import io.reactivenetio.api.LeasePolicy;
import io.reactivenetio.api.Right;
import io.reactivenetio.spring.NetioProperties.Buffers;
import io.reactivenetio.spring.NetioProperties.ByteOrder;
import io.reactivenetio.transport.BackendType;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.NestedConfigurationProperty;
import org.springframework.util.unit.DataSize;

/**
 * What {@code netio.server.*} configures. A setting that is null is the library's own.
 *
 * @param enabled whether there is a server: where a port is set, unless this says otherwise
 * @param address the name or address to listen on: 127.0.0.1 unless set, 0.0.0.0 for all
 * @param port the port to listen on: 0 is a free one, which local.netio.port tells
 * @param shutdownTimeout how long connections may take to end by themselves when the application stops; unless set, almost as
 *     long as spring.lifecycle.timeout-per-shutdown-phase
 * @param maxHandshakes of how many accepted sockets the peers may not have said what comes first, 1,024 unless set; plain
 *        TCP with stream framing or TLS only
 * @param maxConnections how many connections there may be at a time, 4096 unless set; a further one is refused
 * @param maxConnectionsPerAddress how many connections each address may have at a time, any number unless set
 * @param allow the networks that clients may connect from, such as 10.1.0.0/16; all unless set
 * @param secrets the secrets of clients, by the names that they say, 16 bytes or more in Base64: whoever does not know one is
 *     refused. Nobody is asked unless set; stream framing only
 * @param rights what clients may do with which tags; everything unless set, and then nothing else. Stream framing only
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
public record NetioServerProperties(@Nullable Boolean enabled, @Nullable String address, @Nullable Integer port,
        @Nullable Duration shutdownTimeout, @Nullable Integer maxHandshakes, @Nullable Integer maxConnections,
        @Nullable Integer maxConnectionsPerAddress, @Nullable List<String> allow,
        @Nullable Map<String, String> secrets, @Nullable List<Grant> rights,
        @Nullable BackendType backend, @Nullable String provider, @Nullable FramingKind framing,
        @NestedConfigurationProperty @Nullable Buffers receiveBuffers, @NestedConfigurationProperty @Nullable Buffers sendBuffers,
        @NestedConfigurationProperty @Nullable Buffers sharedReceiveBuffers,
        @NestedConfigurationProperty @Nullable Buffers sharedSendBuffers, @Nullable DataSize maxMessageSize,
        @Nullable DataSize reassemblyBudget, @Nullable Duration serveTimeout, @Nullable Integer maxStreams,
        @Nullable Integer prefetch, @Nullable DataSize prefetchBytes, @Nullable Boolean checksums,
        @Nullable DataSize pageWatermark, @Nullable Duration flushInterval, @Nullable EndSignal endSignal,
        @Nullable Duration connectTimeout, @Nullable Duration keepAlive, @Nullable ByteOrder byteOrder,
        @Nullable LeasePolicy leasePolicy, @Nullable Ssl ssl, @Nullable Boolean wiretap)
        implements TransportProperties {

    /**
     * TLS of the server's connections.
     *
     * @param bundle the SSL bundle (spring.ssl.bundle.*) with the server's certificate, and whom it trusts
     * @param clientAuth whether clients are asked for a certificate: none unless set
     */
    public record Ssl(@Nullable String bundle, @Nullable ClientAuth clientAuth) implements TransportProperties.SslSettings {
    }

    /**
     * What some clients may do with some tags.
     *
     * @param principal who: the name of a secret, the subject of a certificate such as CN=reader (RFC 2253), or * for anybody
     * @param tags which tags, as @NetioListener has them: 7, 0x1f, 16-31, 0x100/0xff00 and lists of these
     * @param may what they may do: subscribe, send, request, respond
     */
    public record Grant(@Nullable String principal, @Nullable String tags, @Nullable Set<Right> may) {
    }

    /** Whether clients are asked for a certificate, in the words of Spring Boot's {@code server.ssl.client-auth}. */
    public enum ClientAuth {
        NONE,
        WANT,
        NEED
    }
}
