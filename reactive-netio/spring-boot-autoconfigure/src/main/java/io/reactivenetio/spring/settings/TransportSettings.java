// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.settings;

import io.reactivenetio.NetioTransport;
import io.reactivenetio.spring.NetioProperties;
import io.reactivenetio.spring.TransportProperties;
import io.reactivenetio.transport.BackendType;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.ssl.SslBundles;

/** Gives servers and clients the settings that both have. */
public final class TransportSettings {
    private TransportSettings() {
    }

    /** The backend of {@code own}, or else that of all. Who names a provider has chosen libfabric in place of AUTO. */
    public static BackendType backend(NetioProperties all, TransportProperties own) {
        BackendType chosen = own.backend();
        BackendType type = chosen == null ? all.backend() : chosen;
        return type == BackendType.AUTO && provider(all, own) != null ? BackendType.LIBFABRIC : type;
    }

    static @Nullable String provider(NetioProperties all, TransportProperties own) {
        String chosen = own.provider();
        return chosen == null ? all.provider() : chosen;
    }

    /**
     * Returns {@code transport} with the settings of {@code own}, whose names begin with {@code prefix}. A bundle that it names
     * is one of {@code bundles}.
     *
     * @throws InvalidConfigurationPropertyValueException if one is refused, or is for another framing
     * @throws ContradictingSettingsException if some contradict each other
     */
    public static <T extends NetioTransport<T>> T apply(String prefix, NetioProperties all, TransportProperties own,
            T transport, SslBundles bundles) {
        T made = new Setter<>(prefix, transport.backend(backend(all, own)).framing(FramingSettings.of(prefix, own)))
                .set("provider", provider(all, own), NetioTransport::provider)
                .set("receive-buffers", own.receiveBuffers(), (t, b) -> t.receiveBuffers(Setter.bytes(b.size()), b.number()))
                .set("send-buffers", own.sendBuffers(), (t, b) -> t.sendBuffers(Setter.bytes(b.size()), b.number()))
                .set("connect-timeout", own.connectTimeout(), NetioTransport::connectTimeout)
                .set("keep-alive", own.keepAlive(), NetioTransport::keepAlive)
                .set("byte-order", own.byteOrder(), (t, order) -> t.byteOrder(order.order()))
                .set("lease-policy", own.leasePolicy(), NetioTransport::leasePolicy)
                .set("ssl.bundle", BundledTls.of(own.ssl(), bundles), NetioTransport::secure)
                .set("wiretap", own.wiretap(), NetioTransport::wiretap)
                .get();
        return valid(prefix, made);
    }

    /** Returns {@code made}, unless its settings contradict each other. */
    static <T extends NetioTransport<T>> T valid(String prefix, T made) {
        try {
            made.validate();
        } catch (IllegalArgumentException e) {
            throw new ContradictingSettingsException(prefix, e);
        }
        return made;
    }
}
