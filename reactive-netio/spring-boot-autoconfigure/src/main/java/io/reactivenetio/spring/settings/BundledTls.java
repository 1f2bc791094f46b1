// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.settings;

import io.reactivenetio.Tls;
import io.reactivenetio.Tls.ClientCertificate;
import io.reactivenetio.spring.NetioClientProperties;
import io.reactivenetio.spring.NetioServerProperties;
import io.reactivenetio.spring.TransportProperties.SslSettings;
import java.util.concurrent.atomic.AtomicReference;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.ssl.SslOptions;

/** Makes TLS of Spring Boot's SSL bundles. A bundle that is loaded again counts for new connections. */
final class BundledTls {
    private BundledTls() {
    }

    /** Returns the TLS that {@code settings} say; null if they name no bundle. */
    static @Nullable Tls of(@Nullable SslSettings settings, SslBundles bundles) {
        if (settings == null) {
            return null;
        }
        String name = settings.bundle();
        if (name == null) {
            return null;
        }
        SslBundle bundle = bundles.getBundle(name);
        AtomicReference<SSLContext> context = new AtomicReference<>(bundle.createSslContext());
        bundles.addBundleUpdateHandler(name, changed -> context.set(changed.createSslContext()));
        Tls tls = Tls.of(context::get);
        SslOptions options = bundle.getOptions();
        String[] protocols = options.getEnabledProtocols();
        String[] ciphers = options.getCiphers();
        if (protocols != null) {
            tls = tls.protocols(protocols);
        }
        if (ciphers != null) {
            tls = tls.ciphers(ciphers);
        }
        if (settings instanceof NetioServerProperties.Ssl server && server.clientAuth() != null) {
            return tls.clientCertificate(wish(server.clientAuth()));
        }
        return settings instanceof NetioClientProperties.Ssl client && client.verifyHost() != null
                ? tls.verifyHost(client.verifyHost()) : tls;
    }

    private static ClientCertificate wish(NetioServerProperties.ClientAuth auth) {
        return switch (auth) {
            case NONE -> ClientCertificate.NONE;
            case WANT -> ClientCertificate.WANTED;
            case NEED -> ClientCertificate.REQUIRED;
        };
    }
}
