// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.pubsub;

import static io.reactivenetio.Numbers.emit;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.Link;
import io.reactivenetio.NetioClient;
import io.reactivenetio.NetioLoops;
import io.reactivenetio.NetioServer;
import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.api.SlowPolicy;
import io.reactivenetio.api.Tags;
import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.testing.TestSettings;
import io.reactivenetio.transport.BackendType;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.Disposable;
import reactor.core.publisher.Sinks;
import reactor.util.retry.Retry;

/** Subscribers are told of all that they miss, though seldom, however they end. */
@Timeout(180)
class MissedTest {
    private static final int QUEUE = 16;
    private static final Duration NEVER = Duration.ofHours(1);

    private final NetioLoops ours = NetioLoops.create("missed", 1);
    private final NetioLoops theirs = NetioLoops.create("publishing", 1);
    private final List<NetioConnection> accepted = new CopyOnWriteArrayList<>();
    private final List<Missed> told = new CopyOnWriteArrayList<>();
    private final Sinks.Many<ByteBuffer> source = Sinks.many().multicast().directBestEffort();
    private final NetioPublisher publisher = NetioPublisher.create(SlowPolicy.DROP_NEWEST, QUEUE)
            .publish(7, source.asFlux().onBackpressureBuffer());

    @AfterEach
    void stop() {
        ours.dispose();
        theirs.dispose();
    }

    private NetioSubscriber subscriber() {
        DisposableServer server = publisher.serve(NetioServer.create().backend(BackendType.TCP).host(TestSettings.ADDRESS)
                .runOn(theirs)).doOnConnection(accepted::add).bindNow();
        return NetioSubscriber.create(NetioClient.create().backend(BackendType.TCP).host(TestSettings.ADDRESS).runOn(ours)
                .port(server.port()));
    }

    private IdleSubscriber idle(NetioSubscriber subscriber) {
        IdleSubscriber idle = new IdleSubscriber();
        subscriber.subscribe(7).subscribe(idle);
        Link.await(() -> publisher.statistics().subscribers() == 1, () -> "a subscriber");
        return idle;
    }

    /** Drops messages until the subscriber knows, some of them after it was told for the first time. */
    private void drop(NetioSubscriber subscriber, int count) {
        emit(source, 0, QUEUE + 1);
        Link.await(() -> told.size() == 1, told::toString);
        emit(source, 0, count);
        Link.await(() -> subscriber.statistics().dropped() == count + 1, () -> subscriber.statistics().toString());
    }

    private long sum() {
        return told.stream().mapToLong(Missed::messages).sum();
    }

    /** Whoever ends it: the last sum is told, once, and then nothing more. */
    @ParameterizedTest
    @ValueSource(strings = {"cancel", "publisher", "connection", "peer", "loops"})
    void shouldTellTheLastSumWhenItEnds(String end) {
        NetioSubscriber subscriber = subscriber().doOnMissed(NEVER, told::add);
        IdleSubscriber idle = idle(subscriber);
        drop(subscriber, 1_000);
        assertThat(sum()).isEqualTo(1);
        switch (end) {
            case "cancel" -> idle.cancel();
            case "publisher" -> publisher.dispose();
            case "connection" -> theirs.dispose();
            case "peer" -> accepted.getFirst().dispose();
            default -> ours.dispose();
        }
        idle.request(Long.MAX_VALUE); // a stream that has failed is over when what waits is taken
        Link.await(() -> told.size() == 2, told::toString);
        assertThat(told.getLast().dropped()).isEqualTo(1_000);
        assertThat(told.getLast().missed()).isZero();
        assertThat(told.getLast().from()).isAfterOrEqualTo(told.getFirst().until());
        Link.await(() -> ours.isDisposed() || !subscriber.statistics().connected(), () -> subscriber.statistics().toString());
        assertThat(told).hasSize(2);
    }

    /** The end comes after the sums, so that whoever hears of it knows them. */
    @Test
    void shouldTellTheLastSumBeforeTheEnd() {
        NetioSubscriber subscriber = subscriber().doOnMissed(NEVER, told::add);
        List<Long> atTheEnd = new CopyOnWriteArrayList<>();
        IdleSubscriber idle = new IdleSubscriber();
        subscriber.subscribe(7).doOnComplete(() -> atTheEnd.add(sum())).subscribe(idle);
        Link.await(() -> publisher.statistics().subscribers() == 1, () -> "a subscriber");
        drop(subscriber, 500);
        idle.request(Long.MAX_VALUE);
        source.tryEmitComplete().orThrow();
        Link.await(() -> atTheEnd.size() == 1, told::toString);
        assertThat(atTheEnd).containsExactly(501L);
    }

    /** How often is the subject of {@link MissedReportTest}, on virtual time. */
    @Test
    void shouldTellOnTheLoop() {
        List<Boolean> onLoop = new CopyOnWriteArrayList<>();
        NetioSubscriber subscriber = subscriber().doOnMissed(told::add)
                .doOnMissed(missed -> onLoop.add(EventLoop.isLoopThread(Thread.currentThread())));
        IdleSubscriber idle = idle(subscriber);
        emit(source, 0, QUEUE);
        AtomicLong emitted = new AtomicLong();
        Link.await(() -> {
            emit(source, 0, 10);
            emitted.addAndGet(10);
            return told.size() >= 3;
        }, told::toString);
        Link.await(() -> sum() == emitted.get(), () -> told.size() + " of " + emitted + ": " + told);
        Link.await(() -> onLoop.size() == told.size(), onLoop::toString);
        assertThat(onLoop).containsOnly(true);
        idle.cancel();
    }

    /** Each consumer has an interval of its own, and each tag of a merge is told by itself. */
    @Test
    void shouldKeepEachConsumerToItsInterval() {
        publisher.publish(8, source.asFlux().onBackpressureBuffer());
        List<Missed> each = new CopyOnWriteArrayList<>();
        Consumer<Missed> failing = missed -> {
            throw new IllegalStateException("of the user's");
        };
        NetioSubscriber subscriber = subscriber().doOnMissed(Duration.ZERO, failing).doOnMissed(Duration.ZERO, each::add)
                .doOnMissed(NEVER, told::add);
        IdleSubscriber idle = new IdleSubscriber();
        subscriber.subscribe(7, 8).subscribe(idle);
        Link.await(() -> publisher.statistics().subscribers() == 2, () -> "two subscriptions");
        for (int i = 1; i <= 5; i++) {
            int times = i;
            emit(source, 0, 200);
            Link.await(() -> Stream.of(7L, 8L).allMatch(tag ->
                    each.stream().filter(missed -> missed.tags().equals(Tags.of(tag))).count() >= times), each::toString);
        }
        Link.await(() -> subscriber.statistics().dropped() == publisher.statistics().dropped(),
                () -> subscriber.statistics() + " " + publisher.statistics());
        assertThat(told).hasSize(2).extracting(Missed::tags).containsExactlyInAnyOrder(Tags.of(7), Tags.of(8));
        assertThat(each.size()).isGreaterThanOrEqualTo(10);
        idle.cancel();
        Link.await(() -> sum() == subscriber.statistics().dropped(), told::toString);
        assertThat(told).hasSize(4);
        assertThat(each.stream().mapToLong(Missed::messages).sum()).isEqualTo(sum());
    }

    /** What it finds out when it is back counts in the same interval; nothing is told twice. */
    @Test
    void shouldGoOnWithItsSumsAfterAReconnect() {
        NetioSubscriber subscriber = subscriber().doOnMissed(NEVER, told::add)
                .reconnect(Retry.fixedDelay(100, Duration.ofMillis(1)));
        Disposable subscription = subscriber.subscribe(7).subscribe(message -> { });
        Link.await(() -> publisher.statistics().subscribers() == 1, () -> "a subscriber");
        List<Long> sums = new ArrayList<>();
        for (int i = 1; i <= 5; i++) {
            emit(source, 0, QUEUE / 2);
            int received = i * QUEUE / 2;
            Link.await(() -> subscriber.statistics().received() + subscriber.statistics().missed() >= received, told::toString);
            int times = i;
            accepted.getLast().dispose();
            emit(source, 0, 1); // in between, or just before or after
            Link.await(() -> subscriber.statistics().connections() == times + 1 && publisher.statistics().subscribers() == 1,
                    () -> subscriber.statistics().toString());
            sums.add(sum());
        }
        subscription.dispose();
        Link.await(() -> !subscriber.statistics().connected(), () -> subscriber.statistics().toString());
        Link.await(() -> sum() == subscriber.statistics().missed(), () -> told + " " + subscriber.statistics());
        assertThat(sums).isSorted();
        assertThat(subscriber.statistics().reconnects()).isEqualTo(5);
    }
}
