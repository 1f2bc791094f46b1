// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.settings;

import io.reactivenetio.NetioServer;
import io.reactivenetio.NetioTransport;
import io.reactivenetio.spring.NetioProperties;
import io.reactivenetio.spring.TransportProperties;
import io.reactivenetio.spring.TransportProperties.BufferCount;
import io.reactivenetio.transport.BackendType;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.util.unit.DataSize;

/** Gives servers and clients the settings that both have. */
public final class TransportSettings {
    private static final DataSize DEFAULT_PREFETCH_BYTES = DataSize.ofMegabytes(16);

    private TransportSettings() {
    }

    /** The backend of {@code own}, or else that of all. */
    public static BackendType backend(NetioProperties all, TransportProperties own) {
        BackendType chosen = own.backend();
        return chosen == null ? all.backend() : chosen;
    }

    static String provider(NetioProperties all, TransportProperties own) {
        String chosen = own.provider();
        return chosen == null ? all.provider() : chosen;
    }

    /**
     * Returns {@code transport} with the settings of {@code own}, whose names begin with {@code prefix}.
     *
     * @throws InvalidConfigurationPropertyValueException if one is refused, or does not go together with another one
     */
    public static <T extends NetioTransport<T>> T apply(String prefix, NetioProperties all, TransportProperties own,
            T transport) {
        refuseShared(prefix, "shared-receive-buffers", own.sharedReceiveBuffers(), own);
        refuseShared(prefix, "shared-send-buffers", own.sharedSendBuffers(), own);
        Setter<T> setter = new Setter<>(prefix, transport.backend(backend(all, own)));
        setter.set("provider", provider(all, own), NetioTransport::provider)
                .set("framing", own.framing(), NetioTransport::framing)
                .set("receive-buffers", own.receiveBuffers(), (t, b) -> t.receiveBuffers(Setter.bytes(b.size()), b.number()))
                .set("send-buffers", own.sendBuffers(), (t, b) -> t.sendBuffers(Setter.bytes(b.size()), b.number()))
                .set("shared-receive-buffers", own.sharedReceiveBuffers(),
                        (t, b) -> t.sharedReceiveBuffers(Setter.bytes(b.size()), b.number()))
                .set("shared-send-buffers", own.sharedSendBuffers(),
                        (t, b) -> t.sharedSendBuffers(Setter.bytes(b.size()), b.number()))
                .set("max-message-size", own.maxMessageSize(), (t, size) -> t.maxMessageSize(positive(size)))
                .set("reassembly-budget", own.reassemblyBudget(), (t, size) -> t.reassemblyBudget(size.toBytes()))
                .set("serve-timeout", own.serveTimeout(), NetioTransport::serveTimeout)
                .set("max-streams", own.maxStreams(), NetioTransport::maxStreams)
                .set("checksums", own.checksums(), NetioTransport::checksums)
                .set("page-watermark", own.pageWatermark(), (t, size) -> t.pageWatermark(Setter.bytes(size)))
                .set("flush-interval", own.flushInterval(), NetioTransport::flushInterval)
                .set("end-signal", own.endSignal(), NetioTransport::endSignal)
                .set("connect-timeout", own.connectTimeout(), NetioTransport::connectTimeout)
                .set("keep-alive", own.keepAlive(), NetioTransport::keepAlive)
                .set("byte-order", own.byteOrder(), (t, order) -> t.byteOrder(order.order()))
                .set("lease-policy", own.leasePolicy(), NetioTransport::leasePolicy);
        return prefetch(setter, own).get();
    }

    private static <T extends NetioTransport<T>> Setter<T> prefetch(Setter<T> setter, TransportProperties own) {
        DataSize limit = own.prefetchBytes();
        Integer messages = own.prefetch();
        return setter.set("prefetch", messages, (t, number) -> t.prefetch(number, DEFAULT_PREFETCH_BYTES.toBytes()))
                .set("prefetch-bytes", limit, (t, size) -> {
                    if (messages == null) {
                        throw new IllegalArgumentException("it limits prefetch, which is not set: set that, too");
                    }
                    return t.prefetch(messages, size.toBytes());
                });
    }

    /**
     * Finds settings that contradict each other, which are otherwise told when the first connection is made.
     *
     * @throws ContradictingSettingsException if there are some
     */
    public static void check(String prefix, NetioProperties all, TransportProperties own) {
        NetioServer same = apply(prefix, all, own, NetioServer.create()).doOnBind(_ -> {
            throw new SettingsAgree(); // the settings are looked at before this is called, and nothing is done before
        });
        AtomicReference<Throwable> found = new AtomicReference<>();
        same.bind().subscribe(bound -> { }, found::set);
        Throwable failure = found.get();
        if (failure != null && !(failure instanceof SettingsAgree)) {
            throw new ContradictingSettingsException(prefix, failure);
        }
    }

    private static final class SettingsAgree extends RuntimeException {
        private static final long serialVersionUID = 1;

        SettingsAgree() {
            super(null, null, false, false);
        }
    }

    private static int positive(DataSize size) {
        if (size.toBytes() < 1) {
            throw new IllegalArgumentException("it must be at least 1 byte: " + size);
        }
        return Setter.bytes(size);
    }

    /** Refuses here, where the property is known, what is otherwise refused with the first connection. */
    private static void refuseShared(String prefix, String name, @Nullable BufferCount shared, TransportProperties own) {
        if (shared != null && own.hasStreams()) {
            throw new InvalidConfigurationPropertyValueException(prefix + name, shared, "connections with stream framing cannot"
                    + " share buffers: set " + prefix + "framing to raw or page on both sides, or give each connection its own");
        }
    }
}
