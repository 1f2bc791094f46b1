// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring;

import io.reactivenetio.NetioMetrics;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** The figures of the server's connections, and of each client's. They cost nothing while nobody reads them. */
public final class NetioFigures {
    private final NetioMetrics server = new NetioMetrics();
    private final Map<String, NetioMetrics> clients = new LinkedHashMap<>();

    /** {@code names} are those of the clients. */
    public NetioFigures(Set<String> names) {
        names.forEach(name -> clients.put(name, new NetioMetrics()));
    }

    /** Returns the metrics of the server. */
    public NetioMetrics server() {
        return server;
    }

    /** Returns the metrics of a client that is configured. */
    public NetioMetrics client(String name) {
        return Objects.requireNonNull(clients.get(name));
    }

    /** Returns the metrics of all clients, by name. */
    public Map<String, NetioMetrics> clients() {
        return clients;
    }
}
