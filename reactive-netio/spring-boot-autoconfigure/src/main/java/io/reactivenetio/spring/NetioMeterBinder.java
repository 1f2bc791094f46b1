// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.reactivenetio.micrometer.NetioMeters;

/** Binds all meters of the starter: what has meters in the library gets a line here. */
final class NetioMeterBinder implements MeterBinder {
    private final NetioFigures figures;
    private final boolean hasServer;

    NetioMeterBinder(NetioFigures figures, boolean hasServer) {
        this.figures = figures;
        this.hasServer = hasServer;
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        if (hasServer) {
            NetioMeters.of(figures.server(), tags("server", "server")).bindTo(registry);
        }
        figures.clients().forEach((name, metrics) -> NetioMeters.of(metrics, tags("client", name)).bindTo(registry));
    }

    /** Every meter has the same keys, as registries such as Prometheus's require. */
    private static Tags tags(String role, String name) {
        return Tags.of("role", role, "name", name);
    }
}
