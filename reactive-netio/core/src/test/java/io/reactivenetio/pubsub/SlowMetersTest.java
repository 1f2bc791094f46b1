// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.pubsub;

import static io.reactivenetio.Numbers.emit;
import static io.reactivenetio.Numbers.numbers;
import static io.reactivenetio.Numbers.upTo;
import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.search.RequiredSearch;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.reactivenetio.Link;
import io.reactivenetio.NetioClient;
import io.reactivenetio.NetioLoops;
import io.reactivenetio.NetioServer;
import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.api.SlowPolicy;
import io.reactivenetio.api.Tags;
import io.reactivenetio.micrometer.NetioMeters;
import io.reactivenetio.testing.TestSettings;
import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.exceptions.NetioStreamException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.Disposable;
import reactor.core.publisher.Sinks;
import reactor.util.retry.Retry;

/** What the meters of both sides show of a subscriber that is slow, or away. */
@Timeout(180)
class SlowMetersTest {
    private static final int QUEUE = 64;
    private static final int COUNT = 10_000;
    private static final List<Tag> TAGS = List.of(Tag.of("source", "test"));

    private final NetioLoops loops = NetioLoops.create("meters", 2);
    private final List<NetioConnection> accepted = new CopyOnWriteArrayList<>();
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final Sinks.Many<ByteBuffer> source = Sinks.many().multicast().directBestEffort();
    private @Nullable NetioPublisher publisher;
    private @Nullable NetioSubscriber subscriber;
    private @Nullable DisposableServer server;

    @AfterEach
    void stop() {
        loops.dispose();
    }

    /** Binds meters of both, before there is a connection. */
    private void make(SlowPolicy policy) {
        NetioPublisher made = NetioPublisher.create(policy, QUEUE).publish(7, source.asFlux().onBackpressureBuffer());
        server = made.serve(NetioServer.create().backend(BackendType.TCP).host(TestSettings.ADDRESS).runOn(loops))
                .doOnConnection(accepted::add).bindNow();
        NetioSubscriber to = NetioSubscriber.create(NetioClient.create().backend(BackendType.TCP).host(TestSettings.ADDRESS)
                .runOn(loops).port(server.port()));
        NetioMeters.of(made, TAGS).bindTo(registry);
        NetioMeters.of(to, TAGS).bindTo(registry);
        publisher = made;
        subscriber = to;
    }

    private RequiredSearch meter(String name) {
        return registry.get(name).tag("source", "test");
    }

    private double gauge(String name) {
        return meter(name).gauge().value();
    }

    private double counter(String name) {
        return meter(name).functionCounter().count();
    }

    private double dropped(SlowPolicy policy) {
        return meter("netio.publisher.dropped").tag("policy", policy.name().toLowerCase(Locale.ROOT)).functionCounter()
                .count();
    }

    private void await(String name, double value) {
        Link.await(() -> registry.get(name).meters().stream().mapToDouble(meter -> meter.measure().iterator().next().getValue())
                .sum() == value, () -> name + " to be " + value + ": " + publisher.statistics() + " " + subscriber.statistics());
    }

    @ParameterizedTest
    @EnumSource(names = {"DROP_NEWEST", "DROP_OLDEST"})
    void shouldShowWhatIsDroppedOnBothSides(SlowPolicy policy) {
        make(policy);
        IdleSubscriber slow = new IdleSubscriber();
        subscriber.subscribe(7).subscribe(slow);
        await("netio.publisher.subscriptions", 1);
        assertThat(gauge("netio.publisher.queue.capacity")).isEqualTo(QUEUE);
        emit(source, 0, COUNT);
        await("netio.subscriber.dropped", COUNT - QUEUE);
        assertThat(dropped(policy)).isEqualTo(COUNT - QUEUE);
        assertThat(dropped(policy == SlowPolicy.DROP_NEWEST ? SlowPolicy.DROP_OLDEST : SlowPolicy.DROP_NEWEST)).isZero();
        assertThat(counter("netio.publisher.published")).isEqualTo(COUNT);
        assertThat(gauge("netio.publisher.queue.waiting")).isEqualTo(QUEUE);
        assertThat(gauge("netio.publisher.queue.fullest")).isEqualTo(1);
        assertThat(gauge("netio.publisher.slow")).isEqualTo(1);
        assertThat(counter("netio.subscriber.received")).isZero();
        assertThat(gauge("netio.subscriber.last.message.age")).isNaN();
        slow.request(COUNT);
        await("netio.subscriber.received", QUEUE);
        assertThat(counter("netio.subscriber.received.bytes")).isEqualTo(QUEUE * Long.BYTES);
        assertThat(gauge("netio.subscriber.last.message.age")).isBetween(0.0, 60.0);
        await("netio.publisher.queue.waiting", 0);
        assertThat(gauge("netio.publisher.slow")).isZero();
        assertThat(gauge("netio.publisher.queue.fullest")).isZero();
    }

    @Test
    void shouldShowThatASourceWaits() {
        make(SlowPolicy.BACKPRESSURE);
        IdleSubscriber slow = new IdleSubscriber();
        subscriber.subscribe(7).subscribe(slow);
        await("netio.publisher.subscriptions", 1);
        emit(source, 0, COUNT);
        await("netio.publisher.queue.waiting", QUEUE);
        assertThat(gauge("netio.publisher.slow")).isEqualTo(1);
        assertThat(gauge("netio.publisher.queue.fullest")).isEqualTo(1);
        assertThat(counter("netio.publisher.published")).isEqualTo(QUEUE);
        slow.request(COUNT);
        await("netio.subscriber.received", COUNT);
        Link.await(() -> slow.got().size() == COUNT, () -> slow.got().size() + " messages");
        assertThat(slow.got()).isEqualTo(upTo(COUNT));
        assertThat(counter("netio.subscriber.dropped")).isZero();
        assertThat(counter("netio.publisher.published")).isEqualTo(COUNT);
        await("netio.publisher.slow", 0);
    }

    @Test
    void shouldShowWhoIsEndedAsTooSlow() {
        make(SlowPolicy.ERROR);
        IdleSubscriber slow = new IdleSubscriber();
        subscriber.subscribe(7).subscribe(slow);
        await("netio.publisher.subscriptions", 1);
        assertThat(gauge("netio.subscriber.connected")).isEqualTo(1);
        assertThat(gauge("netio.subscriber.subscriptions")).isEqualTo(1);
        emit(source, 0, COUNT);
        await("netio.publisher.too.slow", 1);
        Link.await(() -> slow.failure() instanceof NetioStreamException, () -> slow.failure().toString());
        await("netio.publisher.subscriptions", 0);
        await("netio.subscriber.subscriptions", 0);
        await("netio.subscriber.connected", 0);
        assertThat(gauge("netio.publisher.queue.capacity")).isZero();
        assertThat(dropped(SlowPolicy.DROP_NEWEST) + dropped(SlowPolicy.DROP_OLDEST)).isZero();
    }

    /** What was dropped just before the subscriber left, and it was never told, counts at the publisher. */
    @Test
    void shouldCountWhatWasDroppedForASubscriberThatLeaves() {
        make(SlowPolicy.DROP_NEWEST);
        for (int i = 1; i <= 20; i++) {
            IdleSubscriber slow = new IdleSubscriber();
            subscriber.subscribe(7).subscribe(slow);
            await("netio.publisher.subscriptions", 1);
            double before = dropped(SlowPolicy.DROP_NEWEST);
            emit(source, 0, 2 * QUEUE);
            slow.cancel();
            emit(source, 0, 2 * QUEUE);
            await("netio.publisher.subscriptions", 0);
            Link.await(() -> dropped(SlowPolicy.DROP_NEWEST) - before >= QUEUE, () -> dropped(SlowPolicy.DROP_NEWEST) - before
                    + " dropped"); // counted just after the subscription has gone
            assertThat(dropped(SlowPolicy.DROP_NEWEST) - before).isBetween((double) QUEUE, 3.0 * QUEUE);
        }
    }

    @Test
    void shouldShowThatAConnectionWasLostAndIsBack() {
        make(SlowPolicy.DROP_OLDEST);
        assertThat(gauge("netio.subscriber.connected")).isZero();
        Sinks.Empty<Void> back = Sinks.empty();
        NetioSubscriber returning = subscriber.reconnect(Retry.from(lost -> lost.concatMap(signal ->
                back.asMono().thenReturn(signal))));
        SimpleMeterRegistry own = new SimpleMeterRegistry();
        NetioMeters.of(returning, List.of()).bindTo(own);
        Disposable subscription = returning.subscribe(7).subscribe();
        await("netio.publisher.subscriptions", 1);
        assertThat(own.get("netio.subscriber.connected").gauge().value()).isEqualTo(1);
        emit(source, 0, 10);
        Link.await(() -> returning.statistics().received() == 10, () -> returning.statistics().toString());
        accepted.getFirst().dispose();
        await("netio.publisher.subscriptions", 0);
        Link.await(() -> !returning.statistics().connected(), () -> returning.statistics().toString());
        assertThat(own.get("netio.subscriber.connected").gauge().value()).isZero();
        Link.await(() -> own.get("netio.subscriber.subscriptions").gauge().value() == 0, () -> returning.statistics().toString());
        emit(source, 10, 15);
        back.tryEmitEmpty();
        await("netio.publisher.subscriptions", 1);
        Link.await(() -> returning.statistics().missed() == 5, () -> returning.statistics().toString());
        assertThat(own.get("netio.subscriber.missed").functionCounter().count()).isEqualTo(5);
        assertThat(own.get("netio.subscriber.reconnects").functionCounter().count()).isEqualTo(1);
        assertThat(own.get("netio.subscriber.reconnect.attempts").functionCounter().count()).isEqualTo(1);
        subscription.dispose();
        Link.await(() -> !returning.statistics().connected(), () -> returning.statistics().toString());
        await("netio.publisher.subscriptions", 0);
        returning.subscribe(7).take(1).subscribe(); // a connection of its own accord, not to reconnect
        await("netio.publisher.subscriptions", 1);
        assertThat(returning.statistics().connections()).isEqualTo(3);
        assertThat(returning.statistics().reconnectAttempts()).isEqualTo(1);
    }

    /** Each attempt counts, also one that fails, and those of a subscription that nobody serves. */
    @Test
    void shouldCountAttemptsThatFail() {
        make(SlowPolicy.DROP_OLDEST);
        server.disposeNow(Duration.ofSeconds(30));
        NetioSubscriber trying = subscriber.reconnect(Retry.fixedDelay(5, Duration.ofMillis(1)));
        assertThat(trying.subscribe(7).materialize().blockLast(TestSettings.PATIENCE).isOnError()).isTrue();
        SubscriberStatistics statistics = trying.statistics();
        assertThat(statistics.reconnectAttempts()).isEqualTo(5);
        assertThat(statistics.reconnects()).isZero();
        assertThat(statistics.connections()).isZero();
        assertThat(statistics.subscriptions()).isZero();
        assertThat(statistics.sinceLastMessage()).isNull();
    }

    @Test
    void shouldCountWhatColdSourcesPublish() {
        make(SlowPolicy.BACKPRESSURE);
        publisher.publishEach(Tags.range(20, 29), tag -> numbers(100));
        for (int i = 1; i <= 3; i++) {
            assertThat(subscriber.subscribe(21, 22, 23).count().block(TestSettings.PATIENCE)).isEqualTo(300);
            await("netio.publisher.published", 300 * i);
        }
        assertThat(counter("netio.subscriber.received")).isEqualTo(900);
        assertThat(counter("netio.subscriber.received.bytes")).isEqualTo(900 * Long.BYTES);
        IdleSubscriber slow = new IdleSubscriber();
        subscriber.subscribe(21).subscribe(slow);
        slow.request(10);
        await("netio.publisher.published", 910);
        slow.cancel();
        await("netio.publisher.subscriptions", 0);
        assertThat(counter("netio.publisher.published")).isEqualTo(910);
        publisher.dispose();
        assertThat(counter("netio.publisher.published")).isEqualTo(910);
    }

    /** The registry keeps neither, however long it lives: gauges of what is gone give NaN. */
    @Test
    void shouldNotKeepWhatNobodyUses() {
        make(SlowPolicy.DROP_OLDEST);
        subscriber.subscribe(7).subscribe().dispose();
        await("netio.publisher.subscriptions", 0);
        server.disposeNow(Duration.ofSeconds(30));
        server = null;
        publisher = null;
        subscriber = null;
        loops.dispose();
        Link.await(() -> {
            accepted.clear(); // also what was accepted at the last moment
            System.gc();
            return Double.isNaN(gauge("netio.publisher.slow")) && Double.isNaN(gauge("netio.subscriber.connected"));
        }, () -> gauge("netio.publisher.slow") + " " + gauge("netio.subscriber.connected"));
    }
}
