// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.pubsub;

import static io.reactivenetio.Numbers.emit;
import static io.reactivenetio.Numbers.numbers;
import static io.reactivenetio.Numbers.upTo;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.Link;
import io.reactivenetio.NetioClient;
import io.reactivenetio.NetioLoops;
import io.reactivenetio.NetioServer;
import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.api.SlowPolicy;
import io.reactivenetio.api.Tags;
import io.reactivenetio.testing.TestSettings;
import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.exceptions.NetioStreamException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.Disposable;
import reactor.core.publisher.Sinks;
import reactor.util.retry.Retry;

/** What the statistics of both sides say of a subscriber that is slow, or away. */
@Timeout(180)
class SlowStatisticsTest {
    private static final int QUEUE = 64;
    private static final int COUNT = 10_000;

    private final NetioLoops loops = NetioLoops.create("statistics", 2);
    private final List<NetioConnection> accepted = new CopyOnWriteArrayList<>();
    private final Sinks.Many<ByteBuffer> source = Sinks.many().multicast().directBestEffort();
    private @Nullable NetioPublisher publisher;
    private @Nullable NetioSubscriber subscriber;
    private @Nullable DisposableServer server;

    @AfterEach
    void stop() {
        loops.dispose();
    }

    private void make(SlowPolicy policy) {
        NetioPublisher made = NetioPublisher.create(policy, QUEUE).publish(7, source.asFlux().onBackpressureBuffer());
        server = made.serve(NetioServer.create().backend(BackendType.TCP).host(TestSettings.ADDRESS).runOn(loops))
                .doOnConnection(accepted::add).bindNow();
        subscriber = NetioSubscriber.create(NetioClient.create().backend(BackendType.TCP).host(TestSettings.ADDRESS)
                .runOn(loops).port(server.port()));
        publisher = made;
    }

    private long dropped(SlowPolicy policy) {
        PublisherStatistics now = publisher.statistics();
        return policy == SlowPolicy.DROP_NEWEST ? now.droppedNewest() : now.droppedOldest();
    }

    private void await(LongSupplier figure, long value) {
        Link.await(() -> figure.getAsLong() == value, () -> figure.getAsLong() + " to be " + value + ": "
                + publisher.statistics() + " " + subscriber.statistics());
    }

    @ParameterizedTest
    @EnumSource(names = {"DROP_NEWEST", "DROP_OLDEST"})
    void shouldShowWhatIsDroppedOnBothSides(SlowPolicy policy) {
        make(policy);
        IdleSubscriber slow = new IdleSubscriber();
        subscriber.subscribe(7).subscribe(slow);
        await(() -> publisher.statistics().subscribers(), 1);
        assertThat(publisher.statistics().capacity()).isEqualTo(QUEUE);
        emit(source, 0, COUNT);
        await(() -> subscriber.statistics().dropped(), COUNT - QUEUE);
        assertThat(dropped(policy)).isEqualTo(COUNT - QUEUE);
        assertThat(dropped(policy == SlowPolicy.DROP_NEWEST ? SlowPolicy.DROP_OLDEST : SlowPolicy.DROP_NEWEST)).isZero();
        assertThat(publisher.statistics().published()).isEqualTo(COUNT);
        assertThat(publisher.statistics().waiting()).isEqualTo(QUEUE);
        assertThat(publisher.statistics().fullest()).isEqualTo(1);
        assertThat(publisher.statistics().slow()).isEqualTo(1);
        assertThat(subscriber.statistics().received()).isZero();
        assertThat(subscriber.statistics().sinceLastMessage()).isNull();
        slow.request(COUNT);
        await(() -> subscriber.statistics().received(), QUEUE);
        assertThat(subscriber.statistics().receivedBytes()).isEqualTo(QUEUE * Long.BYTES);
        assertThat(subscriber.statistics().sinceLastMessage()).isBetween(Duration.ZERO, TestSettings.PATIENCE);
        await(() -> publisher.statistics().waiting(), 0);
        assertThat(publisher.statistics().slow()).isZero();
        assertThat(publisher.statistics().fullest()).isZero();
    }

    @Test
    void shouldShowThatASourceWaits() {
        make(SlowPolicy.BACKPRESSURE);
        IdleSubscriber slow = new IdleSubscriber();
        subscriber.subscribe(7).subscribe(slow);
        await(() -> publisher.statistics().subscribers(), 1);
        emit(source, 0, COUNT);
        await(() -> publisher.statistics().waiting(), QUEUE);
        assertThat(publisher.statistics().slow()).isEqualTo(1);
        assertThat(publisher.statistics().fullest()).isEqualTo(1);
        assertThat(publisher.statistics().published()).isEqualTo(QUEUE);
        slow.request(COUNT);
        await(() -> subscriber.statistics().received(), COUNT);
        Link.await(() -> slow.got().size() == COUNT, () -> slow.got().size() + " messages");
        assertThat(slow.got()).isEqualTo(upTo(COUNT));
        assertThat(subscriber.statistics().dropped()).isZero();
        assertThat(publisher.statistics().published()).isEqualTo(COUNT);
        await(() -> publisher.statistics().slow(), 0);
    }

    @Test
    void shouldShowWhoIsEndedAsTooSlow() {
        make(SlowPolicy.ERROR);
        IdleSubscriber slow = new IdleSubscriber();
        subscriber.subscribe(7).subscribe(slow);
        await(() -> publisher.statistics().subscribers(), 1);
        assertThat(subscriber.statistics().connected()).isTrue();
        assertThat(subscriber.statistics().subscriptions()).isEqualTo(1);
        emit(source, 0, COUNT);
        await(() -> publisher.statistics().tooSlow(), 1);
        Link.await(() -> slow.failure() instanceof NetioStreamException, () -> slow.failure().toString());
        await(() -> publisher.statistics().subscribers(), 0);
        await(() -> subscriber.statistics().subscriptions(), 0);
        Link.await(() -> !subscriber.statistics().connected(), () -> subscriber.statistics().toString());
        assertThat(publisher.statistics().capacity()).isZero();
        assertThat(dropped(SlowPolicy.DROP_NEWEST) + dropped(SlowPolicy.DROP_OLDEST)).isZero();
    }

    /** What was dropped just before the subscriber left, and it was never told, counts at the publisher. */
    @Test
    void shouldCountWhatWasDroppedForASubscriberThatLeaves() {
        make(SlowPolicy.DROP_NEWEST);
        for (int i = 1; i <= 20; i++) {
            IdleSubscriber slow = new IdleSubscriber();
            subscriber.subscribe(7).subscribe(slow);
            await(() -> publisher.statistics().subscribers(), 1);
            long before = dropped(SlowPolicy.DROP_NEWEST);
            emit(source, 0, 2 * QUEUE);
            slow.cancel();
            emit(source, 0, 2 * QUEUE);
            await(() -> publisher.statistics().subscribers(), 0);
            assertThat(dropped(SlowPolicy.DROP_NEWEST) - before).isBetween((long) QUEUE, 3L * QUEUE);
        }
    }

    /** So whoever waits for its end can read at once what it has left behind. */
    @Test
    void shouldCountASubscriptionUntilItsSourceIsCancelled() {
        make(SlowPolicy.BACKPRESSURE);
        List<Integer> there = new CopyOnWriteArrayList<>();
        publisher.publishEach(Tags.of(20), tag -> numbers(100)
                .doOnCancel(() -> there.add(publisher.statistics().subscribers())));
        IdleSubscriber slow = new IdleSubscriber();
        subscriber.subscribe(20).subscribe(slow);
        await(() -> publisher.statistics().subscribers(), 1);
        slow.cancel();
        await(() -> publisher.statistics().subscribers(), 0);
        assertThat(there).containsExactly(1);
    }

    @Test
    void shouldShowThatAConnectionWasLostAndIsBack() {
        make(SlowPolicy.DROP_OLDEST);
        assertThat(subscriber.statistics().connected()).isFalse();
        Sinks.Empty<Void> back = Sinks.empty();
        NetioSubscriber returning = subscriber.reconnect(Retry.from(lost -> lost.concatMap(signal ->
                back.asMono().thenReturn(signal))));
        Disposable subscription = returning.subscribe(7).subscribe();
        await(() -> publisher.statistics().subscribers(), 1);
        assertThat(returning.statistics().connected()).isTrue();
        emit(source, 0, 10);
        Link.await(() -> returning.statistics().received() == 10, () -> returning.statistics().toString());
        accepted.getFirst().dispose();
        await(() -> publisher.statistics().subscribers(), 0);
        Link.await(() -> !returning.statistics().connected(), () -> returning.statistics().toString());
        Link.await(() -> returning.statistics().subscriptions() == 0, () -> returning.statistics().toString());
        emit(source, 10, 15);
        back.tryEmitEmpty();
        await(() -> publisher.statistics().subscribers(), 1);
        Link.await(() -> returning.statistics().missed() == 5, () -> returning.statistics().toString());
        assertThat(returning.statistics().reconnects()).isEqualTo(1);
        assertThat(returning.statistics().reconnectAttempts()).isEqualTo(1);
        subscription.dispose();
        Link.await(() -> !returning.statistics().connected(), () -> returning.statistics().toString());
        await(() -> publisher.statistics().subscribers(), 0);
        returning.subscribe(7).take(1).subscribe(); // a connection of its own accord, not to reconnect
        await(() -> publisher.statistics().subscribers(), 1);
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
            await(() -> publisher.statistics().published(), 300 * i);
        }
        assertThat(subscriber.statistics().received()).isEqualTo(900);
        assertThat(subscriber.statistics().receivedBytes()).isEqualTo(900 * Long.BYTES);
        IdleSubscriber slow = new IdleSubscriber();
        subscriber.subscribe(21).subscribe(slow);
        slow.request(10);
        await(() -> publisher.statistics().published(), 910);
        slow.cancel();
        await(() -> publisher.statistics().subscribers(), 0);
        assertThat(publisher.statistics().published()).isEqualTo(910);
        publisher.dispose();
        assertThat(publisher.statistics().published()).isEqualTo(910);
    }
}
