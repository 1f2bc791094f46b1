// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.reactivenetio.micrometer.NetioMeters;
import io.reactivenetio.pubsub.NetioSubscriber;
import io.reactivenetio.spring.NetioFigures;
import io.reactivenetio.spring.client.ConfiguredClients;
import org.jspecify.annotations.Nullable;

/** Binds the meters of what the starter makes at its start. {@link NetioMeterProcessor} binds those of what is made when used. */
public final class NetioMeterBinder implements MeterBinder {
    private final NetioFigures figures;
    private final boolean hasServer;
    private final @Nullable ConfiguredClients clients;

    /** {@code clients}: null if the application has others. */
    NetioMeterBinder(NetioFigures figures, boolean hasServer, @Nullable ConfiguredClients clients) {
        this.figures = figures;
        this.hasServer = hasServer;
        this.clients = clients;
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        if (hasServer) {
            NetioMeters.of(figures.server(), tags("server", "server")).bindTo(registry);
        }
        figures.clients().forEach((name, metrics) -> NetioMeters.of(metrics, tags("client", name)).bindTo(registry));
        if (clients != null) {
            clients.all().forEach((name, client) -> {
                NetioSubscriber subscriber = client.subscriberIfAny();
                if (subscriber != null) {
                    NetioMeters.of(subscriber, tags("client", name)).bindTo(registry);
                }
            });
        }
    }

    /** Every meter has the same keys, as registries such as Prometheus's require. */
    public static Tags tags(String role, String name) {
        return Tags.of("role", role, "name", name);
    }
}
