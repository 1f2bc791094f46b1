// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.detector;

import io.reactivenetio.NetioClient;
import io.reactivenetio.NetioMetrics;
import io.reactivenetio.api.NetioStatistics;
import io.reactivenetio.spring.NetioClientCustomizer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.stereotype.Component;

/** Has each client tell what its connections count. Any thread. */
@Component
final class ClientMetrics implements NetioClientCustomizer {
    private final Map<String, NetioMetrics> metrics = new ConcurrentHashMap<>();

    @Override
    public NetioClient customize(String name, NetioClient client) {
        return client.metrics(of(name));
    }

    NetioStatistics statistics(String name) {
        return of(name).statistics();
    }

    private NetioMetrics of(String name) {
        return metrics.computeIfAbsent(name, first -> new NetioMetrics());
    }
}
