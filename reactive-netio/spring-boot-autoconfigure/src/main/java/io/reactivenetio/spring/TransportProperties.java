// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring;

import io.reactivenetio.NetioTransport;
import io.reactivenetio.api.EndSignal;
import io.reactivenetio.api.LeasePolicy;
import io.reactivenetio.transport.BackendType;
import java.nio.ByteOrder;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.util.unit.DataSize;

/** What the properties of servers and clients have in common: a setting of {@link NetioTransport} each, null for the default. */
public interface TransportProperties {
    /** How many buffers there are, and how large each is. */
    interface BufferCount {
        DataSize size();

        int number();
    }

    /** The order of the bytes of a number, as the JDK names it. */
    interface OrderOfBytes {
        ByteOrder order();
    }

    /** TLS, with the keys and certificates of a bundle. */
    interface SslSettings {
        @Nullable String bundle();
    }

    @Nullable BackendType backend();

    @Nullable String provider();

    @Nullable FramingKind framing();

    @Nullable BufferCount receiveBuffers();

    @Nullable BufferCount sendBuffers();

    @Nullable BufferCount sharedReceiveBuffers();

    @Nullable BufferCount sharedSendBuffers();

    @Nullable DataSize maxMessageSize();

    @Nullable DataSize reassemblyBudget();

    @Nullable Duration serveTimeout();

    @Nullable Integer maxStreams();

    @Nullable Integer prefetch();

    @Nullable DataSize prefetchBytes();

    @Nullable Boolean checksums();

    @Nullable DataSize pageWatermark();

    @Nullable Duration flushInterval();

    @Nullable EndSignal endSignal();

    @Nullable Duration connectTimeout();

    @Nullable Duration keepAlive();

    @Nullable OrderOfBytes byteOrder();

    @Nullable LeasePolicy leasePolicy();

    @Nullable SslSettings ssl();

    @Nullable Boolean wiretap();

    /** The framing, or the default one. */
    default FramingKind kind() {
        FramingKind chosen = framing();
        return chosen == null ? FramingKind.STREAM : chosen;
    }

    /** Whether connections have streams, and with them tags, requests, publishers and subscribers. */
    default boolean hasStreams() {
        return kind() == FramingKind.STREAM;
    }
}
