// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring;

import io.reactivenetio.NetioMetrics;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** The figures of the server's connections, and of each client's. They cost nothing while nobody reads them. */
final class NetioFigures {
    private final NetioMetrics server = new NetioMetrics();
    private final Map<String, NetioMetrics> clients = new LinkedHashMap<>();

    /** {@code names} are those of the clients. */
    NetioFigures(Set<String> names) {
        names.forEach(name -> clients.put(name, new NetioMetrics()));
    }

    NetioMetrics server() {
        return server;
    }

    NetioMetrics client(String name) {
        return Objects.requireNonNull(clients.get(name));
    }

    /** Those of all clients, by name. */
    Map<String, NetioMetrics> clients() {
        return clients;
    }
}
