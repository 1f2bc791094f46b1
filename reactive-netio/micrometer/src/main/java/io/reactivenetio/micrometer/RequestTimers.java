// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.micrometer;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.reactivenetio.NetioMetrics;
import io.reactivenetio.api.RequestListener;
import io.reactivenetio.api.RequestOutcome;
import io.reactivenetio.api.RequestSide;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/** The timers of requests in one registry. Those of the same registry and tags are equal, so that no request is timed twice. */
final class RequestTimers implements RequestListener {
    private final MeterRegistry registry;
    private final Tags tags;
    private final NetioMetrics metrics;
    private final Map<RequestSide, Map<RequestOutcome, Timer>> timers = new EnumMap<>(RequestSide.class);

    RequestTimers(MeterRegistry registry, Tags tags, NetioMetrics metrics) {
        this.registry = registry;
        this.tags = tags;
        this.metrics = metrics;
        for (RequestSide side : RequestSide.values()) {
            Map<RequestOutcome, Timer> ofSide = new EnumMap<>(RequestOutcome.class);
            for (RequestOutcome outcome : RequestOutcome.values()) {
                ofSide.put(outcome, Timer.builder("netio.requests").description("Requests that have ended, and their time")
                        .tags(tags.and("side", NetioMeters.lower(side), "outcome", NetioMeters.lower(outcome)))
                        .register(registry));
            }
            timers.put(side, ofSide);
        }
    }

    @Override
    public void ended(RequestSide side, RequestOutcome outcome, long nanos) {
        if (registry.isClosed()) {
            metrics.removeListener(this);
            return;
        }
        Objects.requireNonNull(Objects.requireNonNull(timers.get(side)).get(outcome)).record(nanos, TimeUnit.NANOSECONDS);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof RequestTimers timed && registry.equals(timed.registry) && tags.equals(timed.tags);
    }

    @Override
    public int hashCode() {
        return Objects.hash(registry, tags);
    }
}
