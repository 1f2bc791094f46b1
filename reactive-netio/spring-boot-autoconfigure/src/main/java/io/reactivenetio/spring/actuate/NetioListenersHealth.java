// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.actuate;

import io.reactivenetio.spring.annotation.NetioListenerState;
import io.reactivenetio.spring.annotation.listener.ListenerContainer;
import io.reactivenetio.spring.annotation.listener.ListenerRegistry;
import java.util.ArrayList;
import java.util.List;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/** DOWN if a subscription of a listener has failed for good, so that its messages do not come any more; otherwise UP. */
final class NetioListenersHealth implements HealthIndicator {
    private static final int MOST_SHOWN = 20;

    private final ListenerRegistry registry;

    NetioListenersHealth(ListenerRegistry registry) {
        this.registry = registry;
    }

    @Override
    public Health health() {
        Health.Builder health = Health.up();
        int running = 0;
        List<ListenerContainer> failed = new ArrayList<>();
        for (ListenerContainer listener : registry.all()) {
            running += listener.state() == NetioListenerState.RUNNING ? 1 : 0;
            if (listener.lastFailure() != null) {
                failed.add(listener);
            }
        }
        health.withDetail("running", running);
        if (!failed.isEmpty()) {
            health.down().withDetail("failed", failed.size());
        }
        for (ListenerContainer listener : failed.subList(0, Math.min(MOST_SHOWN, failed.size()))) {
            health.withDetail(listener.id(), listener.state() + ": " + listener.lastFailure());
        }
        return health.build();
    }
}
