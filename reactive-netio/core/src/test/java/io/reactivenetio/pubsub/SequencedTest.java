// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.pubsub;

import static io.reactivenetio.Numbers.emit;
import static io.reactivenetio.Numbers.number;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivenetio.Framing;
import io.reactivenetio.Link;
import io.reactivenetio.NetioClient;
import io.reactivenetio.NetioLoops;
import io.reactivenetio.NetioServer;
import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.api.SlowPolicy;
import io.reactivenetio.api.TaggedMessage;
import io.reactivenetio.api.Tags;
import io.reactivenetio.testing.TestSettings;
import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.exceptions.NetioException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;
import reactor.util.retry.Retry;

/** Every message has its number, wherever others are missing, and all that are missing are told. */
@Timeout(180)
class SequencedTest {
    private static final Duration PATIENCE = TestSettings.PATIENCE;
    private static final Tags SEVEN = Tags.of(7);
    private static final Retry SOON = Retry.fixedDelay(10_000, Duration.ofMillis(1));

    private final NetioLoops loops = NetioLoops.create("sequenced", 2);
    private final List<NetioConnection> accepted = new CopyOnWriteArrayList<>();
    private final List<DisposableServer> servers = new ArrayList<>();

    @AfterEach
    void stop() {
        loops.dispose();
    }

    private DisposableServer serve(BackendType backend, NetioPublisher publisher, int port) {
        DisposableServer server = publisher.serve(NetioServer.create().backend(backend).host(TestSettings.ADDRESS).runOn(loops)
                .port(port)).doOnConnection(connection -> {
                    accepted.add(connection);
                    publisher.serve(connection);
                }).bindNow();
        servers.add(server);
        return server;
    }

    private NetioSubscriber subscriber(BackendType backend, NetioPublisher publisher) {
        return NetioSubscriber.create(NetioClient.create().backend(backend).host(TestSettings.ADDRESS).runOn(loops)
                .port(serve(backend, publisher, 0).port()));
    }

    private static Flux<ByteBuffer> numbers(long count) {
        return Flux.generate(() -> 0L, (next, sink) -> {
            if (next == count) {
                sink.complete();
            } else {
                sink.next(number(next));
            }
            return next + 1;
        });
    }

    private static long payload(TaggedMessage message) {
        return message.payload().getLong(message.payload().position());
    }

    /** Whether the events account for each message from 0 to {@code count}, of which each payload is its number. */
    private static void assertComplete(List<SequencedEvent> events, long first, long count) {
        long next = first;
        for (SequencedEvent event : events) {
            switch (event) {
                case SequencedMessage message -> {
                    assertThat(message.sequence()).isEqualTo(next).isEqualTo(payload(message.message()));
                    next++;
                }
                case Gap gap -> {
                    assertThat(gap.from()).isEqualTo(next);
                    next = gap.to() + 1;
                }
                case RunChange change -> throw new AssertionError(change.toString());
            }
        }
        assertThat(next).isEqualTo(count);
    }

    /** Takes some time, so that the publisher is faster. */
    private static void work() {
        long until = System.nanoTime() + 2_000;
        while (System.nanoTime() < until) {
            Math.random();
        }
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldNumberAllMessages(BackendType backend) {
        NetioSubscriber subscriber = subscriber(backend, NetioPublisher.create().publish(7, numbers(100_000)));
        List<SequencedEvent> events = subscriber.subscribeSequenced(SEVEN).collectList().block(PATIENCE);
        assertThat(events).hasSize(100_000).allSatisfy(event -> assertThat(event.run()).isNotZero());
        assertComplete(events, 0, 100_000);
    }

    /** The subscriber is so slow that most messages are dropped, and its demand so small that they wait in its pages. */
    @ParameterizedTest
    @EnumSource(SlowPolicy.class)
    void shouldTellEachGapWhereItIs(SlowPolicy policy) {
        if (policy == SlowPolicy.ERROR) {
            return;
        }
        for (int size : new int[] {8, 70_000}) {
            int count = size == 8 ? TestSettings.scaled(200_000) : TestSettings.scaled(2_000);
            NetioPublisher publisher = NetioPublisher.create(policy, 16).publish(7, numbers(count)
                    .map(number -> ByteBuffer.allocate(size).putLong(0, number.getLong(number.position())))
                    .publishOn(Schedulers.parallel()));
            NetioSubscriber subscriber = NetioSubscriber.create(NetioClient.create().backend(BackendType.TCP)
                    .framing(Framing.stream().prefetch(64))
                    .host(TestSettings.ADDRESS).runOn(loops).port(serve(BackendType.TCP, publisher, 0).port()));
            List<SequencedEvent> events = subscriber.subscribeSequenced(SEVEN).publishOn(Schedulers.parallel(), 8)
                    .doOnNext(event -> work()).collectList().block(PATIENCE);
            assertComplete(events, 0, count);
            long missing = events.stream().mapToLong(event -> event instanceof Gap gap ? gap.messages() : 0).sum();
            assertThat(missing).isEqualTo(subscriber.statistics().dropped());
            assertThat(missing > 0).as("%d missing", missing).isEqualTo(policy != SlowPolicy.BACKPRESSURE);
        }
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldAccountForEveryMessageWhenConnectionsAreCutAtRandom(BackendType backend) throws InterruptedException {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        int count = TestSettings.scaled(300_000);
        for (SlowPolicy policy : List.of(SlowPolicy.BACKPRESSURE, SlowPolicy.DROP_NEWEST, SlowPolicy.DROP_OLDEST)) {
            NetioPublisher publisher = NetioPublisher.create(policy, 64)
                    .publish(7, numbers(count).publishOn(Schedulers.parallel()));
            NetioSubscriber subscriber = subscriber(backend, publisher).reconnect(SOON);
            CompletableFuture<List<SequencedEvent>> done = subscriber.subscribeSequenced(SEVEN)
                    .publishOn(Schedulers.parallel(), 16).collectList().toFuture();
            Link.await(() -> subscriber.statistics().received() > 0 || done.isDone(), () -> "a first message");
            for (int i = 0; i < 20 && !done.isDone(); i++) {
                long enough = subscriber.statistics().received() + (random.nextBoolean() ? 0 : random.nextInt(count / 20));
                Link.await(() -> done.isDone() || subscriber.statistics().received() >= enough, () -> "some messages");
                accepted.forEach(NetioConnection::dispose);
            }
            List<SequencedEvent> events = done.orTimeout(60, TimeUnit.SECONDS).join();
            assertThat(events).as("seed %d", seed).isNotEmpty();
            assertComplete(events, 0, count);
        }
    }

    @Test
    void shouldTellWhatPassedSinceAPosition() {
        Sinks.Many<ByteBuffer> source = Sinks.many().multicast().directBestEffort();
        NetioPublisher publisher = NetioPublisher.create(SlowPolicy.DROP_OLDEST, 256)
                .publish(7, source.asFlux().onBackpressureBuffer());
        NetioSubscriber subscriber = subscriber(BackendType.TCP, publisher);
        List<SequencedEvent> first = new CopyOnWriteArrayList<>();
        var reading = subscriber.subscribeSequenced(SEVEN).subscribe(first::add);
        Link.await(() -> publisher.statistics().subscribers() == 1, () -> "a subscriber");
        emit(source, 0, 10);
        Link.await(() -> first.size() == 10, first::toString);
        reading.dispose();
        Link.await(() -> publisher.statistics().subscribers() == 0, () -> "it is gone");
        emit(source, 10, 15);
        Position last = ((SequencedMessage) first.getLast()).position();
        assertThat(last.sequence()).isEqualTo(9);
        List<SequencedEvent> second = new CopyOnWriteArrayList<>();
        subscriber.subscribeSequenced(SEVEN, last).subscribe(second::add);
        Link.await(() -> publisher.statistics().subscribers() == 1, () -> "it is back");
        emit(source, 15, 20);
        Link.await(() -> second.size() == 6, second::toString);
        assertThat(second.getFirst()).isEqualTo(new Gap(SEVEN, last.run(), 10, 14));
        assertComplete(second, 10, 20);
    }

    /** A reader that ends before its first message has a position, and so has one that is connected again before it. */
    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldTellWhereItBeginsBeforeThereIsAMessage(BackendType backend) throws InterruptedException {
        Sinks.Many<ByteBuffer> source = Sinks.many().multicast().directBestEffort();
        NetioPublisher publisher = NetioPublisher.create(SlowPolicy.DROP_OLDEST, 256)
                .publish(7, source.asFlux().onBackpressureBuffer());
        NetioSubscriber subscriber = subscriber(backend, publisher).reconnect(SOON);
        var opening = subscriber.subscribeSequenced(SEVEN).subscribe();
        Link.await(() -> publisher.statistics().subscribers() == 1, () -> "a subscriber");
        emit(source, 0, 5);
        List<Position> starts = new CopyOnWriteArrayList<>();
        List<SequencedEvent> events = new CopyOnWriteArrayList<>();
        var reading = subscriber.subscribeSequenced(SEVEN, start -> {
            starts.add(start);
            throw new IllegalStateException("which does no harm");
        }).subscribe(events::add);
        Link.await(() -> starts.size() == 1, () -> "a start");
        assertThat(starts.getFirst().sequence()).isEqualTo(4);
        opening.dispose();
        Link.await(() -> publisher.statistics().subscribers() == 1, () -> "the other one");
        accepted.forEach(NetioConnection::dispose);
        AtomicLong emitted = new AtomicLong(5);
        Link.await(() -> {
            emit(source, emitted.get(), emitted.incrementAndGet());
            return !events.isEmpty();
        }, () -> "an event behind the new connection");
        long next = emitted.get();
        Link.await(() -> !events.isEmpty() && events.getLast() instanceof SequencedMessage last && last.sequence() + 1 == next,
                events::toString);
        assertComplete(events, 5, next);
        assertThat(starts).hasSize(1);
        reading.dispose();
        Link.await(() -> publisher.statistics().subscribers() == 0, () -> "nobody");
        List<SequencedEvent> later = new CopyOnWriteArrayList<>();
        subscriber.subscribeSequenced(SEVEN, starts.getFirst()).subscribe(later::add);
        Link.await(() -> publisher.statistics().subscribers() == 1, () -> "it is back");
        emit(source, next, next + 1);
        Link.await(() -> later.size() == 2, later::toString);
        assertComplete(later, 5, next + 1);
    }

    /** With no message behind them, they are told before the end. */
    @Test
    void shouldTellWhatIsMissingAtTheEnd() {
        Sinks.Many<ByteBuffer> source = Sinks.many().multicast().directBestEffort();
        NetioPublisher publisher = NetioPublisher.create(SlowPolicy.DROP_NEWEST, 16)
                .publish(7, source.asFlux().onBackpressureBuffer());
        NetioSubscriber subscriber = subscriber(BackendType.TCP, publisher);
        List<SequencedEvent> events = new CopyOnWriteArrayList<>();
        BaseSubscriber<SequencedEvent> slow = new BaseSubscriber<>() {
            @Override
            protected void hookOnSubscribe(org.reactivestreams.Subscription subscription) {
                request(1);
            }

            @Override
            protected void hookOnNext(SequencedEvent event) {
                events.add(event);
            }
        };
        subscriber.subscribeSequenced(SEVEN).subscribe(slow);
        Link.await(() -> publisher.statistics().subscribers() == 1, () -> "a subscriber");
        emit(source, 0, 1); // which was asked for
        Link.await(() -> events.size() == 1, () -> "the first");
        emit(source, 1, 1_000); // of which 16 wait at the publisher
        Link.await(() -> publisher.statistics().dropped() > 0, () -> "drops");
        source.tryEmitComplete().orThrow();
        while (!slow.isDisposed()) {
            int had = events.size();
            slow.request(1);
            Link.await(() -> slow.isDisposed() || events.size() > had, events::toString);
            assertThat(events).hasSizeLessThanOrEqualTo(had + 1);
        }
        assertThat(events.getLast()).isInstanceOf(Gap.class);
        assertComplete(events, 0, 1_000);
        // and a reader of an ended source, that had half of it
        long run = events.getFirst().run();
        StepVerifier.create(subscriber.subscribeSequenced(SEVEN, new Position(run, 499)))
                .expectNext(new Gap(SEVEN, run, 500, 999)).verifyComplete();
        StepVerifier.create(subscriber.subscribeSequenced(SEVEN, new Position(run, 999))).verifyComplete();
        StepVerifier.create(subscriber.subscribeSequenced(SEVEN, new Position(run + 1, 5)))
                .expectNext(new RunChange(SEVEN, new Position(run + 1, 5), run), new Gap(SEVEN, run, 0, 999)).verifyComplete();
    }

    @Test
    void shouldTellThatThePublisherHasBegunAnew() {
        Sinks.Many<ByteBuffer> before = Sinks.many().multicast().directBestEffort();
        NetioPublisher first = NetioPublisher.create(SlowPolicy.DROP_OLDEST, 256)
                .publish(7, before.asFlux().onBackpressureBuffer());
        DisposableServer server = serve(BackendType.TCP, first, 0);
        NetioSubscriber subscriber = NetioSubscriber.create(NetioClient.create().backend(BackendType.TCP)
                .host(TestSettings.ADDRESS).runOn(loops).port(server.port())).reconnect(SOON);
        List<SequencedEvent> events = new CopyOnWriteArrayList<>();
        subscriber.subscribeSequenced(SEVEN).subscribe(events::add);
        Link.await(() -> first.statistics().subscribers() == 1, () -> "a subscriber");
        emit(before, 0, 3);
        Link.await(() -> events.size() == 3, events::toString);
        server.disposeNow(PATIENCE);
        Sinks.Many<ByteBuffer> after = Sinks.many().multicast().directBestEffort();
        NetioPublisher second = NetioPublisher.create(SlowPolicy.DROP_OLDEST, 256)
                .publish(7, after.asFlux().onBackpressureBuffer());
        serve(BackendType.TCP, second, server.port());
        Link.await(() -> second.statistics().subscribers() == 1, () -> "it is back");
        emit(after, 0, 2);
        Link.await(() -> events.size() == 6, events::toString);
        SequencedMessage next = (SequencedMessage) events.get(4);
        assertThat(events.get(3)).isEqualTo(new RunChange(SEVEN, ((SequencedMessage) events.get(2)).position(), next.run()));
        assertThat(next.sequence()).isZero();
        assertThat(next.run()).isNotEqualTo(events.get(2).run());
        assertThat(subscriber.statistics().missed()).isZero();
    }

    /** Neither of them has numbers that mean the same to another subscriber. */
    @Test
    void shouldRefuseWhatHasNoNumbers() {
        NetioPublisher publisher = NetioPublisher.create().publish(1, numbers(5)).publish(2, numbers(5))
                .publishEach(Tags.of(3), tag -> numbers(5))
                .publish(Tags.range(10, 19), numbers(5).map(payload -> TaggedMessage.of(10, payload)));
        NetioSubscriber subscriber = subscriber(BackendType.TCP, publisher).reconnect(SOON);
        for (Tags tags : List.of(Tags.range(1, 2), Tags.of(3), Tags.of(10))) {
            assertThatThrownBy(() -> subscriber.subscribeSequenced(tags).blockLast(PATIENCE)).as("%s", tags)
                    .isInstanceOf(IllegalStateException.class).hasMessageContaining("does not number the messages of " + tags);
        }
    }

    @Test
    void shouldTellWhatIsMissingBeforeAnError() {
        NetioPublisher publisher = NetioPublisher.create().publish(7, numbers(10).concatWith(Flux.error(
                new IllegalStateException("the detector is off"))));
        NetioSubscriber subscriber = subscriber(BackendType.TCP, publisher);
        List<SequencedEvent> events = new ArrayList<>();
        assertThatThrownBy(() -> subscriber.subscribeSequenced(SEVEN).doOnNext(events::add).blockLast(PATIENCE))
                .isInstanceOf(NetioException.class).hasMessageContaining("the detector is off");
        assertComplete(events, 0, 10);
        long run = events.getFirst().run();
        StepVerifier.create(subscriber.subscribeSequenced(SEVEN, new Position(run, 4)))
                .expectNext(new Gap(SEVEN, run, 5, 9)).verifyError(NetioException.class);
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldTellWhichTagsArePublished(BackendType backend) {
        Sinks.Many<ByteBuffer> ending = Sinks.many().unicast().onBackpressureBuffer();
        NetioPublisher publisher = NetioPublisher.create().publishTags(1).publish(7, ending.asFlux())
                .publish(Tags.range(16, 31), Flux.never()).publish(Tags.masked(0x100, 0xff00), Flux.never())
                .publishEach(Tags.of(8), tag -> numbers(1));
        int port = serve(backend, publisher, 0).port();
        NetioClient client = NetioClient.create().backend(backend).host(TestSettings.ADDRESS).runOn(loops).port(port);
        for (ByteOrder order : new ByteOrder[] {ByteOrder.BIG_ENDIAN, ByteOrder.LITTLE_ENDIAN}) {
            assertThat(NetioSubscriber.create(client.byteOrder(order)).publishedTags(1).collectList().block(PATIENCE))
                    .containsExactly(SEVEN, Tags.range(16, 31), Tags.masked(0x100, 0xff00));
        }
        NetioSubscriber subscriber = NetioSubscriber.create(client);
        ending.tryEmitComplete().orThrow();
        subscriber.subscribe(7).blockLast(PATIENCE);
        publisher.publish(Tags.of(-1), Flux.never());
        assertThat(subscriber.publishedTags(1).collectList().block(PATIENCE))
                .containsExactly(Tags.range(16, 31), Tags.masked(0x100, 0xff00), Tags.of(-1));
        assertThatThrownBy(() -> subscriber.publishedTags(8).blockLast(PATIENCE))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("8 bytes says no tags");
    }

    /** repeat() of the Flux itself goes on where it was, and is told the start of the next run that it has missed. */
    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldTellTheStartOfTheNextRunToWhoRepeats(BackendType backend) {
        Sinks.Empty<Void> again = Sinks.empty();
        TwoRuns runs = new TwoRuns(backend);
        runs.check(runs.subscriber.subscribeSequenced(SEVEN).repeatWhen(ends -> once(ends, again)),
                again);
        assertThat(runs.subscriber.statistics()).returns(1L, SubscriberStatistics::runChanges).returns(10L,
                SubscriberStatistics::missed);
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldSubscribeAgainWhenARunIsComplete(BackendType backend) {
        Sinks.Empty<Void> again = Sinks.empty();
        List<RunChange> changes = new CopyOnWriteArrayList<>();
        List<Missed> missed = new CopyOnWriteArrayList<>();
        TwoRuns runs = new TwoRuns(backend);
        List<SequencedEvent> events = runs.check(runs.subscriber.repeat(ends -> once(ends, again))
                .doOnRunChange(change -> {
                    throw new AssertionError("the user's");
                }).doOnRunChange(changes::add).doOnMissed(Duration.ZERO, missed::add).subscribeSequenced(SEVEN), again);
        assertThat(changes).singleElement().isEqualTo(events.get(100));
        assertThat(missed).singleElement().returns(10L, Missed::missed);
    }

    /** Repeats when {@code again} says so, and completes with the next end. */
    private static Flux<?> once(Flux<Long> ends, Sinks.Empty<Void> again) {
        return ends.index().takeWhile(end -> end.getT1() == 0).delayUntil(end -> again.asMono());
    }

    /** A run of 100 messages that completes, and one that begins before the subscriber is there again. */
    private final class TwoRuns {
        private final NetioPublisher publisher = NetioPublisher.create(SlowPolicy.DROP_NEWEST, 4_096).publish(7, numbers(100));
        private final NetioSubscriber subscriber;

        TwoRuns(BackendType backend) {
            subscriber = subscriber(backend, publisher);
        }

        List<SequencedEvent> check(Flux<SequencedEvent> flux, Sinks.Empty<Void> again) {
            List<SequencedEvent> events = new CopyOnWriteArrayList<>();
            CompletableFuture<Void> done = flux.doOnNext(events::add).then().toFuture();
            Link.await(() -> events.size() == 100 && publisher.statistics().subscribers() == 0, events::toString);
            Sinks.Many<ByteBuffer> later = Sinks.many().multicast().directBestEffort();
            publisher.publish(7, later.asFlux());
            List<Long> others = new CopyOnWriteArrayList<>();
            subscriber.whenSlow(SlowPolicy.DROP_OLDEST).subscribe(7).subscribe(message -> others.add(payload(message)));
            Link.await(() -> later.currentSubscriberCount() == 1, () -> "another subscriber");
            emit(later, 0, 10);
            Link.await(() -> others.size() == 10, others::toString);
            again.tryEmitEmpty();
            Link.await(() -> publisher.statistics().subscribers() == 2, () -> "it is back");
            emit(later, 10, 20);
            later.tryEmitComplete();
            done.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
            SequencedMessage last = (SequencedMessage) events.get(99);
            SequencedMessage next = (SequencedMessage) events.get(102);
            assertComplete(events.subList(0, 100), 0, 100);
            assertThat(events.subList(100, 102)).containsExactly(new RunChange(SEVEN, last.position(), next.run()),
                    new Gap(SEVEN, next.run(), 0, 9));
            assertComplete(events.subList(102, events.size()), 10, 20);
            return events;
        }
    }

    /** Whoever takes some and comes again knows what it has missed meanwhile. */
    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldGoOnBehindWhatWasTakenBeforeACancel(BackendType backend) {
        NetioPublisher publisher = NetioPublisher.create(SlowPolicy.DROP_NEWEST, 64)
                .publish(7, numbers(Long.MAX_VALUE).delayElements(Duration.ofNanos(100_000), Schedulers.parallel()));
        NetioSubscriber subscriber = subscriber(backend, publisher);
        Flux<SequencedEvent> flux = subscriber.subscribeSequenced(SEVEN);
        List<SequencedEvent> events = flux.take(5).repeat(50).collectList().block(PATIENCE);
        long first = ((SequencedMessage) events.getFirst()).sequence();
        SequencedEvent end = events.getLast();
        assertComplete(events, first, end instanceof Gap gap ? gap.to() + 1 : ((SequencedMessage) end).sequence() + 1);
        assertThat(events).hasSize(255);
        SequencedEvent other = flux.blockFirst(PATIENCE); // somebody else begins where he comes
        assertThat(other).isInstanceOf(SequencedMessage.class);
        publisher.dispose();
    }

    /** A publisher that was killed, and another in its place: what came after the last message is unknown, and that is told. */
    @Test
    void shouldTellThatTheSourceHasBegunAnew() {
        NetioPublisher first = NetioPublisher.create().publish(7, Flux.concat(numbers(5), Flux.never()));
        DisposableServer server = serve(BackendType.TCP, first, 0);
        List<RunChange> changes = new CopyOnWriteArrayList<>();
        NetioSubscriber subscriber = NetioSubscriber.create(NetioClient.create().backend(BackendType.TCP)
                .host(TestSettings.ADDRESS).runOn(loops).port(server.port())).reconnect(SOON).doOnRunChange(changes::add);
        List<Long> got = new CopyOnWriteArrayList<>();
        subscriber.subscribe(SEVEN).subscribe(message -> got.add(payload(message)));
        Link.await(() -> got.size() == 5, got::toString);
        server.dispose();
        server.onDispose().block(PATIENCE);
        accepted.forEach(NetioConnection::dispose);
        serve(BackendType.TCP, NetioPublisher.create().publish(7, numbers(3)), server.port());
        Link.await(() -> got.size() == 8, got::toString);
        assertThat(subscriber.statistics()).returns(1L, SubscriberStatistics::runChanges).returns(0L,
                SubscriberStatistics::missed);
        assertThat(changes).singleElement().returns(4L, change -> change.last().sequence()).returns(SEVEN, RunChange::tags);
    }
}
