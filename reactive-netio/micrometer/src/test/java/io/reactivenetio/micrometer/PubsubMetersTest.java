// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.micrometer;

import static io.reactivenetio.testing.TestSettings.PATIENCE;
import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.reactivenetio.NetioClient;
import io.reactivenetio.NetioLoops;
import io.reactivenetio.NetioServer;
import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.pubsub.NetioPublisher;
import io.reactivenetio.pubsub.NetioSubscriber;
import io.reactivenetio.pubsub.PublisherStatistics;
import io.reactivenetio.pubsub.SubscriberStatistics;
import io.reactivenetio.testing.Eventually;
import io.reactivenetio.testing.TestSettings;
import io.reactivenetio.transport.BackendType;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Sinks;

/** What the meters show of publishers and subscribers: which figure of their statistics each one has. */
@Timeout(180)
class PubsubMetersTest {
    private final NetioLoops loops = NetioLoops.create("meters", 2);
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private @Nullable NetioPublisher publisher;
    private @Nullable NetioSubscriber subscriber;

    @AfterEach
    void stop() {
        loops.dispose();
    }

    private Map<String, Double> values() {
        return registry.getMeters().stream().collect(Collectors.toMap(meter -> meter.getId().getName()
                + Objects.requireNonNullElse(meter.getId().getTag("policy"), ""), PubsubMetersTest::value));
    }

    private static double value(Meter meter) {
        return meter.measure().iterator().next().getValue();
    }

    private double gauge(String name) {
        return registry.get(name).gauge().value();
    }

    @Test
    void shouldShowTheFiguresOfASubscriber() {
        SubscriberStatistics figures = new SubscriberStatistics(1, 2, 3, 4, 5, 6, 7, 8, true, Duration.ofSeconds(9), 10, 11, 12);
        NetioMeters.subscriber(new Meters<>(registry, figures, Function.identity(), Tags.empty()));
        assertThat(values()).containsOnly(entry("netio.subscriber.received", 1.0), entry("netio.subscriber.received.bytes", 2.0),
                entry("netio.subscriber.dropped", 3.0), entry("netio.subscriber.missed", 4.0),
                entry("netio.subscriber.reconnect.attempts", 6.0), entry("netio.subscriber.reconnects", 7.0),
                entry("netio.subscriber.subscriptions", 8.0), entry("netio.subscriber.connected", 1.0),
                entry("netio.subscriber.last.message.age", 9.0), entry("netio.subscriber.run.changes", 10.0),
                entry("netio.subscriber.slow", 11.0), entry("netio.subscriber.waiting", 12.0));
    }

    @Test
    void shouldShowTheFiguresOfAPublisher() {
        PublisherStatistics figures = new PublisherStatistics(1, 2, 3, 4, 5, 6, 7, 8, 0.5, 9, 10);
        NetioMeters.publisher(new Meters<>(registry, figures, Function.identity(), Tags.empty()));
        assertThat(values()).containsOnly(entry("netio.publisher.subscriptions", 1.0), entry("netio.publisher.published", 2.0),
                entry("netio.publisher.droppeddrop_newest", 3.0), entry("netio.publisher.droppeddrop_oldest", 4.0),
                entry("netio.publisher.too.slow", 5.0), entry("netio.publisher.slow", 6.0),
                entry("netio.publisher.queue.waiting", 7.0), entry("netio.publisher.queue.capacity", 8.0),
                entry("netio.publisher.queue.fullest", 0.5), entry("netio.publisher.undelivered", 9.0),
                entry("netio.publisher.kept", 10.0));
    }

    /** The registry keeps neither, however long it lives: gauges of what is gone give NaN. */
    @Test
    void shouldNotKeepWhatNobodyUses() {
        Sinks.Many<ByteBuffer> source = Sinks.many().multicast().directBestEffort();
        publisher = NetioPublisher.create().publish(7, source.asFlux());
        DisposableServer server = publisher.serve(NetioServer.create().backend(BackendType.TCP).host(TestSettings.ADDRESS)
                .runOn(loops)).bindNow();
        subscriber = NetioSubscriber.create(NetioClient.create().backend(BackendType.TCP).host(TestSettings.ADDRESS)
                .runOn(loops).port(server.port()));
        NetioMeters.of(publisher, List.of()).bindTo(registry);
        NetioMeters.of(subscriber, List.of()).bindTo(registry);
        subscriber.subscribe(7).subscribe().dispose();
        Eventually.await(() -> publisher.statistics().subscribers() == 0, () -> publisher.statistics().toString());
        assertThat(gauge("netio.publisher.slow")).isZero();
        server.disposeNow(PATIENCE);
        server = null;
        publisher = null;
        subscriber = null;
        loops.dispose();
        Eventually.await(() -> {
            System.gc();
            return Double.isNaN(gauge("netio.publisher.slow")) && Double.isNaN(gauge("netio.subscriber.connected"));
        }, () -> gauge("netio.publisher.slow") + " " + gauge("netio.subscriber.connected"));
    }
}
