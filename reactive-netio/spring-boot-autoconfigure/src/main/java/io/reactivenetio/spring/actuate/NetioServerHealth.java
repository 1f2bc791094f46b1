// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.actuate;

import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.Network;
import io.reactivenetio.spring.server.NetioServerLifecycle;
import io.reactivenetio.spring.server.NetioServerLifecycle.View;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/** UP while the server listens, OUT_OF_SERVICE before and while it stops, DOWN if it has stopped listening by itself. */
final class NetioServerHealth implements HealthIndicator {
    private final NetioServerLifecycle lifecycle;

    NetioServerHealth(NetioServerLifecycle lifecycle) {
        this.lifecycle = lifecycle;
    }

    @Override
    public Health health() {
        View view = lifecycle.view();
        Health.Builder health = switch (view.status()) {
            case LISTENING -> Health.up();
            case NOT_STARTED -> Health.outOfService().withDetail("reason", "it does not listen yet, or was stopped");
            case STOPPING -> Health.outOfService().withDetail("reason", "it is being stopped");
            case LOST -> Health.down().withDetail("reason", "it no longer listens, and nothing here has stopped it");
        };
        DisposableServer server = lifecycle.listening();
        if (server != null) {
            health.withDetail("address", server.address().toString())
                    .withDetail("networks", server.networks().stream().map(Network::toString).toList())
                    .withDetail("connections", server.connections());
        }
        return health.withDetail("since", view.since()).build();
    }
}
