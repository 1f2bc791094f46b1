// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.function.ToDoubleFunction;

/**
 * Shows {@link NetioMetrics} to Micrometer, with the names of {@link NetioStatistics}. Counters: {@code
 * netio.connections.opened}, {@code netio.received.messages}, {@code netio.received.bytes}, {@code netio.sent.messages}, {@code
 * netio.sent.bytes}, {@code netio.no.resources}, {@code netio.discarded.messages}, {@code netio.lease.copies}. Gauges: {@code
 * netio.connections}, {@code netio.credits}, {@code netio.credits.in.use}, {@code netio.leased.buffers}, {@code
 * netio.leased.copies}.
 *
 * <p>Micrometer is an optional dependency. A program that uses this class needs {@code micrometer-core}. A modular program
 * requires {@code micrometer.core} itself.
 */
@SuppressWarnings("exports") // transitive, the optional module would have to be there for everybody
public final class NetioMeters implements MeterBinder {
    private final NetioMetrics metrics;
    private final Tags tags;

    /** Shows {@code metrics} in meters with these {@code tags}, which tell several {@link NetioMetrics} from one another. */
    public NetioMeters(NetioMetrics metrics, Iterable<Tag> tags) {
        this.metrics = metrics;
        this.tags = Tags.of(tags);
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        counter(registry, "netio.connections.opened", "connections", NetioStatistics::connectionsOpened);
        counter(registry, "netio.received.messages", "messages", NetioStatistics::receivedMessages);
        counter(registry, "netio.received.bytes", "bytes", NetioStatistics::receivedBytes);
        counter(registry, "netio.sent.messages", "messages", NetioStatistics::sentMessages);
        counter(registry, "netio.sent.bytes", "bytes", NetioStatistics::sentBytes);
        counter(registry, "netio.no.resources", "stalls", NetioStatistics::noResources);
        counter(registry, "netio.discarded.messages", "messages", NetioStatistics::discardedMessages);
        counter(registry, "netio.lease.copies", "messages", NetioStatistics::leaseCopies);
        gauge(registry, "netio.connections", "connections", NetioStatistics::connections);
        gauge(registry, "netio.credits", "buffers", NetioStatistics::credits);
        gauge(registry, "netio.credits.in.use", "buffers", NetioStatistics::creditsInUse);
        gauge(registry, "netio.leased.buffers", "buffers", NetioStatistics::leasedBuffers);
        gauge(registry, "netio.leased.copies", "messages", NetioStatistics::leasedCopies);
    }

    private void counter(MeterRegistry registry, String name, String unit, ToDoubleFunction<NetioStatistics> figure) {
        FunctionCounter.builder(name, metrics, m -> figure.applyAsDouble(m.statistics())).baseUnit(unit).tags(tags)
                .register(registry);
    }

    private void gauge(MeterRegistry registry, String name, String unit, ToDoubleFunction<NetioStatistics> figure) {
        Gauge.builder(name, metrics, m -> figure.applyAsDouble(m.statistics())).baseUnit(unit).tags(tags)
                .strongReference(true).register(registry);
    }
}
