// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.kafka;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.function.ToDoubleFunction;

/**
 * Shows figures of sinks and sources to Micrometer, an optional dependency, under the rules of {@code NetioMeters}: give each
 * object {@code tags} of its own. A registry does not keep the objects that are shown.
 */
public final class NetioKafkaMeters {
    private NetioKafkaMeters() {
    }

    /** Shows what a sink writes, as {@code netio.kafka.acknowledged} and others. */
    public static MeterBinder of(NetioKafkaSink sink, Iterable<Tag> tags) {
        Tags all = Tags.of(tags);
        return registry -> {
            Meters<NetioKafkaSink> meters = new Meters<>(registry, sink, all);
            meters.counter("netio.kafka.sent", "messages", "Messages handed to the producer", s -> s.statistics().sent());
            meters.counter("netio.kafka.acknowledged", "messages", "Messages that are in Kafka",
                    s -> s.statistics().acknowledged());
            meters.counter("netio.kafka.acknowledged.bytes", "bytes", "Bytes in them", s -> s.statistics().bytes());
            meters.counter("netio.kafka.failed", "messages", "Messages that are not known to be in Kafka",
                    s -> s.statistics().failed());
            meters.counter("netio.kafka.too.large", "messages", "Messages left out as too large",
                    s -> s.statistics().tooLarge());
            meters.counter("netio.kafka.missed", "messages", "Messages that were missing before they came to the sink",
                    s -> s.statistics().missed());
            meters.counter("netio.kafka.transactions", "transactions", "Transactions that were committed",
                    s -> s.statistics().transactions());
            meters.gauge("netio.kafka.in.flight", "messages", "Messages taken and not acknowledged now",
                    s -> s.statistics().inFlight());
            meters.gauge("netio.kafka.in.flight.bytes", "bytes", "Bytes in them", s -> s.statistics().inFlightBytes());
        };
    }

    /** Shows what a source reads, as {@code netio.kafka.emitted} and others. */
    public static MeterBinder of(NetioKafkaSource source, Iterable<Tag> tags) {
        Tags all = Tags.of(tags);
        return registry -> {
            Meters<NetioKafkaSource> meters = new Meters<>(registry, source, all);
            meters.counter("netio.kafka.emitted", "messages", "Messages given to subscribers", s -> s.statistics().emitted());
            meters.counter("netio.kafka.emitted.bytes", "bytes", "Bytes in them", s -> s.statistics().bytes());
            meters.gauge("netio.kafka.lag", "messages", "Records that are known to follow", s -> s.statistics().lag());
        };
    }

    private record Meters<T>(MeterRegistry registry, T shown, Tags tags) {
        void counter(String name, String unit, String what, ToDoubleFunction<T> figure) {
            FunctionCounter.builder(name, shown, figure).baseUnit(unit).description(what).tags(tags).register(registry);
        }

        void gauge(String name, String unit, String what, ToDoubleFunction<T> figure) {
            Gauge.builder(name, shown, figure).baseUnit(unit).description(what).tags(tags).register(registry);
        }
    }
}
