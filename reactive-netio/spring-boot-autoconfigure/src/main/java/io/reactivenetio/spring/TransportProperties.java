// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring;

import io.reactivenetio.EndSignal;
import io.reactivenetio.Framing;
import io.reactivenetio.LeasePolicy;
import io.reactivenetio.NetioTransport;
import io.reactivenetio.spring.NetioProperties.Buffers;
import io.reactivenetio.spring.NetioProperties.ByteOrder;
import io.reactivenetio.transport.BackendType;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.util.unit.DataSize;

/** What the properties of servers and clients have in common: a setting of {@link NetioTransport} each, null for the default. */
interface TransportProperties {
    @Nullable BackendType backend();

    @Nullable String provider();

    @Nullable Framing framing();

    @Nullable Buffers receiveBuffers();

    @Nullable Buffers sendBuffers();

    @Nullable Buffers sharedReceiveBuffers();

    @Nullable Buffers sharedSendBuffers();

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

    @Nullable ByteOrder byteOrder();

    @Nullable LeasePolicy leasePolicy();

    /** Whether connections have streams, and with them tags, requests, publishers and subscribers. */
    default boolean hasStreams() {
        Framing chosen = framing();
        return chosen == null || chosen == Framing.STREAM;
    }
}
