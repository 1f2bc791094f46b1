// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.client;

import io.reactivenetio.NetioClient;
import io.reactivenetio.NetioLoops;
import io.reactivenetio.api.NetioPropagator;
import io.reactivenetio.spring.NetioClientCustomizer;
import io.reactivenetio.spring.NetioClientProperties;
import io.reactivenetio.spring.NetioFigures;
import io.reactivenetio.spring.NetioProperties;
import io.reactivenetio.spring.settings.BackendCheck;
import io.reactivenetio.spring.settings.AccessSettings;
import io.reactivenetio.spring.settings.Setter;
import io.reactivenetio.spring.settings.TransportSettings;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.ssl.SslBundles;

/** Makes the clients that {@code netio.clients} configures. */
public final class NetioClientsFactory {
    private final NetioProperties properties;
    private final NetioFigures figures;
    private final List<NetioPropagator> propagators;
    private final List<NetioClientCustomizer> customizers;
    private final SslBundles bundles;
    private final BackendCheck backends = new BackendCheck();

    /** {@code propagators} and {@code customizers} are for every client, in their order. */
    public NetioClientsFactory(NetioProperties properties, NetioFigures figures, List<NetioPropagator> propagators,
            List<NetioClientCustomizer> customizers, SslBundles bundles) {
        this.properties = properties;
        this.figures = figures;
        this.propagators = propagators;
        this.customizers = customizers;
        this.bundles = bundles;
    }

    static String prefix(String name) {
        return "netio.clients." + name + ".";
    }

    /** Refuses what can never be a host, which is otherwise tried again for ever. */
    private static void checkHost(String prefix, @Nullable String host) {
        if (host != null && (host.chars().anyMatch(c -> c == '/' || Character.isWhitespace(c))
                || host.indexOf(':') >= 0 && host.indexOf(':') == host.lastIndexOf(':'))) { // IPv6 has more than one
            throw new InvalidConfigurationPropertyValueException(prefix + "host", host, "it is no name or address alone: the port"
                    + " belongs to " + prefix + "port, and nothing else is needed");
        }
    }

    /** Makes the clients, none of which connects yet. */
    public ConfiguredClients make(NetioLoops loops) {
        Map<String, ConfiguredClient> made = new LinkedHashMap<>();
        properties.clients().forEach((name, own) -> made.put(name, make(name, own, loops)));
        return new ConfiguredClients(made);
    }

    private ConfiguredClient make(String name, NetioClientProperties own, NetioLoops loops) {
        String prefix = prefix(name);
        Integer port = own.port();
        if (port == null || port == 0) {
            throw new InvalidConfigurationPropertyValueException(prefix + "port", port, "a client needs the port that its peer"
                    + " listens on: set " + prefix + "port to 1 to 65535");
        }
        checkHost(prefix, own.host());
        backends.require(properties, own);
        NetioClient client = TransportSettings.apply(prefix, properties, own, NetioClient.create().runOn(loops), bundles);
        client = new Setter<>(prefix, client).set("host", own.host(), NetioClient::host).set("port", port, NetioClient::port)
                .get();
        client = AccessSettings.apply(client, prefix, own.credentials());
        for (NetioPropagator propagator : propagators) {
            client = client.propagation(propagator);
        }
        for (NetioClientCustomizer customizer : customizers) {
            client = Objects.requireNonNull(customizer.customize(name, client),
                    () -> customizer + " has returned null for client " + name);
        }
        return new ConfiguredClient(name, own, client.metrics(figures.client(name)));
    }
}
