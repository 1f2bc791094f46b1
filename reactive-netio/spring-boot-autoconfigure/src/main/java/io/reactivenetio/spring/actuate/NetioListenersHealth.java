// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.actuate;

import io.reactivenetio.spring.Thrown;
import io.reactivenetio.spring.annotation.NetioListenerState;
import io.reactivenetio.spring.annotation.NetioListenerStatistics;
import io.reactivenetio.spring.annotation.listener.ListenerContainer;
import io.reactivenetio.spring.annotation.listener.ListenerRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/**
 * DOWN if a subscription of a listener has failed for good, so that its messages do not come any more; OUT_OF_SERVICE if a
 * listener is complete, and so takes nothing more until it is started again: UNKNOWN would not be seen beside what is UP. A
 * listener that is slower than its messages come is UP and says so, since to slow down the publisher is no fault.
 */
final class NetioListenersHealth implements HealthIndicator {
    private static final int MOST_SHOWN = 20;
    /** A shorter time with messages that wait is a burst. */
    private static final Duration LONG = Duration.ofSeconds(10);

    private final ListenerRegistry registry;
    private final Duration tolerated;

    NetioListenersHealth(ListenerRegistry registry) {
        this(registry, LONG);
    }

    /** {@code tolerated}: for how long messages may wait without a pause until it is said. */
    NetioListenersHealth(ListenerRegistry registry, Duration tolerated) {
        this.registry = registry;
        this.tolerated = tolerated;
    }

    /** One listener at a moment. What is most worth showing has the lowest rank. */
    private record Shown(ListenerContainer listener, NetioListenerState state, @Nullable Throwable failure, Duration behind,
            boolean isBehind) {

        int rank() {
            return failure != null ? 0 : state == NetioListenerState.COMPLETED ? 1 : isBehind ? 2 : 3;
        }

        Map<String, Object> details() {
            Map<String, Object> details = new LinkedHashMap<>();
            NetioListenerStatistics now = listener.statistics();
            details.put("state", state);
            details.put("received", now.received());
            details.put("handled", now.handled());
            details.put("failed", now.failed());
            if (listener.takesMessages()) {
                details.put("waiting", now.waiting());
                details.put("inFlight", now.inFlight());
            }
            if (isBehind) {
                details.put("behind", "messages have waited for " + behind.toSeconds() + " s without a pause: its method is"
                        + " slower than they come");
            }
            if (failure != null) {
                details.put("reason", Thrown.text(failure));
            }
            return details;
        }
    }

    @Override
    public Health health() {
        Health.Builder health = Health.up();
        List<Shown> all = new ArrayList<>(registry.all().stream().map(this::shown).toList());
        count(health, "running", all.stream().filter(one -> one.state() == NetioListenerState.RUNNING).count(), true);
        long complete = all.stream().filter(one -> one.state() == NetioListenerState.COMPLETED).count();
        long failed = all.stream().filter(one -> one.failure() != null).count();
        count(health, "complete", complete, false);
        count(health, "failed", failed, false);
        count(health, "behind", all.stream().filter(Shown::isBehind).count(), false);
        if (failed > 0) {
            health.down();
        } else if (complete > 0) {
            health.outOfService();
        }
        all.sort(Comparator.comparingInt(Shown::rank));
        Map<String, Object> details = new LinkedHashMap<>();
        for (Shown one : all.subList(0, Math.min(MOST_SHOWN, all.size()))) {
            details.put(one.listener().id(), one.details());
        }
        return (details.isEmpty() ? health : health.withDetail("listeners", details)).build();
    }

    private Shown shown(ListenerContainer listener) {
        Duration behind = listener.behind();
        return new Shown(listener, listener.state(), listener.lastFailure(), behind, behind.compareTo(tolerated) >= 0);
    }

    private static void count(Health.Builder health, String name, long number, boolean always) {
        if (always || number > 0) {
            health.withDetail(name, (int) number);
        }
    }
}
