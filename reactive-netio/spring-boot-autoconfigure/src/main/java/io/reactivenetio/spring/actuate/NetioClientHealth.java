// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.actuate;

import io.reactivenetio.pubsub.NetioSubscriber;
import io.reactivenetio.pubsub.SubscriberStatistics;
import io.reactivenetio.spring.Thrown;
import io.reactivenetio.spring.client.ClientWatch.Status;
import io.reactivenetio.spring.client.ClientWatch.View;
import io.reactivenetio.spring.client.ClientWatch;
import io.reactivenetio.spring.client.ConfiguredClient;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/**
 * DOWN if something that somebody wants of the client is not connected, UP if everything that somebody wants is, and UNKNOWN as
 * long as nobody wants anything or the first connection is being made. It also says that subscriptions are slow.
 */
final class NetioClientHealth implements HealthIndicator {
    private final ConfiguredClient client;

    NetioClientHealth(ConfiguredClient client) {
        this.client = client;
    }

    @Override
    public Health health() {
        Health.Builder health = Health.unknown();
        boolean down = false;
        boolean up = false;
        Map<String, Object> uses = new LinkedHashMap<>();
        for (Map.Entry<String, ClientWatch> watch : client.watches().entrySet()) {
            View view = watch.getValue().view();
            down |= view.status() == Status.DOWN;
            up |= view.status() == Status.UP;
            if (view.status() != Status.UNUSED || view.reason() != null) {
                uses.put(watch.getKey(), details(view));
            }
        }
        if (down) {
            health.down();
        } else if (up) {
            health.up();
        } else if (uses.isEmpty()) {
            health.withDetail("reason", "nobody uses it");
        }
        NetioSubscriber subscriber = client.subscriberIfAny();
        SubscriberStatistics now = subscriber == null ? null : subscriber.statistics();
        if (now != null && now.slow() > 0) {
            health.withDetail("slow", now.slow() + " of " + now.subscriptions() + " subscriptions are slow, as the publisher"
                    + " says: " + now.waiting() + " messages wait there");
        }
        return health.withDetails(uses).build();
    }

    private static Map<String, Object> details(View view) {
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("state", view.status());
        details.put("since", view.since());
        put(details, "peer", view.peer());
        put(details, "network", view.network() == null ? null : view.network().toString());
        put(details, "reason", view.reason() == null ? null : Thrown.text(view.reason()));
        return details;
    }

    private static void put(Map<String, Object> details, String key, @Nullable Object value) {
        if (value != null) {
            details.put(key, value);
        }
    }
}
