// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.pubsub;

import static io.reactivenetio.Numbers.number;
import static io.reactivenetio.Numbers.numbers;
import static io.reactivenetio.testing.TestSettings.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.Link;
import io.reactivenetio.NetioClient;
import io.reactivenetio.NetioLoops;
import io.reactivenetio.NetioServer;
import io.reactivenetio.Numbers;
import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.SlowPolicy;
import io.reactivenetio.api.TaggedMessage;
import io.reactivenetio.api.Tags;
import io.reactivenetio.testing.TestSettings;
import io.reactivenetio.transport.BackendType;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;

/** What a source was asked for is delivered, kept for the next subscriber, or counted; no end overtakes it. */
@Timeout(180)
class KeptMessagesTest {
    private static final int LARGE = 3_000_000;

    private final NetioLoops loops = NetioLoops.create("kept", 2);
    private DisposableServer server;

    @AfterEach
    void stop() {
        loops.dispose();
    }

    private NetioSubscriber subscriber(BackendType backend, NetioPublisher publisher) {
        server = publisher.serve(NetioServer.create().backend(backend).provider(TestSettings.PROVIDER)
                .host(TestSettings.ADDRESS).runOn(loops)).bindNow();
        return NetioSubscriber.create(NetioClient.create().backend(backend).provider(TestSettings.PROVIDER)
                .host(TestSettings.ADDRESS).runOn(loops).port(server.port()));
    }

    private static void awaitNobody(NetioPublisher publisher) {
        Link.await(() -> publisher.statistics().subscribers() == 0, () -> publisher.statistics().toString());
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldGiveTheNextSubscriberWhatTheLastOneLeft(BackendType backend) {
        NetioPublisher publisher = NetioPublisher.create().publish(7, numbers(1_000));
        NetioSubscriber subscriber = subscriber(backend, publisher);
        List<Long> got = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            subscriber.subscribe(7).take(100).map(Numbers::number).doOnNext(got::add).blockLast(PATIENCE);
            awaitNobody(publisher);
        }
        assertThat(got).isEqualTo(Numbers.upTo(300));
        PublisherStatistics statistics = publisher.statistics();
        assertThat(statistics.kept()).isEqualTo(statistics.published() - 300);
        assertThat(statistics.undelivered()).isZero();
        assertThat(subscriber.statistics().missed()).isZero();
        StepVerifier.create(subscriber.subscribe(7).map(Numbers::number).collectList())
                .expectNext(LongStream.range(300, 1_000).boxed().toList()).expectComplete().verify(PATIENCE);
        assertThat(publisher.statistics().kept()).isZero();
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldTellItTheRightNumbers(BackendType backend) {
        NetioPublisher publisher = NetioPublisher.create().publish(7, numbers(150));
        NetioSubscriber subscriber = subscriber(backend, publisher);
        subscriber.subscribe(7).take(100).blockLast(PATIENCE);
        awaitNobody(publisher);
        List<SequencedEvent> events = subscriber.subscribeSequenced(Tags.of(7)).collectList().block(PATIENCE);
        assertThat(events).hasSize(50).allSatisfy(event -> {
            SequencedMessage message = (SequencedMessage) event;
            assertThat(message.sequence()).isEqualTo(number(message.message()));
        });
    }

    /** Each gets its own tag's, whoever comes first. */
    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldKeepForOthersWhatASubscriberDoesNotWant(BackendType backend) {
        NetioPublisher publisher = NetioPublisher.create().publish(Tags.range(1, 2),
                numbers(100).map(payload -> new TaggedMessage(1 + payload.getLong(0) % 2, 0, payload)));
        NetioSubscriber subscriber = subscriber(backend, publisher);
        subscriber.subscribe(Tags.range(1, 2)).take(10).blockLast(PATIENCE);
        awaitNobody(publisher);
        StepVerifier.create(subscriber.subscribe(2).map(Numbers::number).collectList())
                .expectNext(LongStream.range(5, 50).map(n -> 2 * n + 1).boxed().toList()).expectComplete().verify(PATIENCE);
        awaitNobody(publisher);
        StepVerifier.create(subscriber.subscribe(1).map(Numbers::number).collectList())
                .expectNext(LongStream.range(5, 50).map(n -> 2 * n).boxed().toList()).expectComplete().verify(PATIENCE);
        assertThat(publisher.statistics().undelivered()).isZero();
    }

    /** Others have a Publisher of their own. */
    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldCountWhatAColdSourceMadeInVain(BackendType backend) {
        List<Object> discarded = Collections.synchronizedList(new ArrayList<>());
        NetioPublisher publisher = NetioPublisher.create().publishEach(Tags.of(7), tag -> numbers(1_000)
                .doOnDiscard(ByteBuffer.class, discarded::add));
        NetioSubscriber subscriber = subscriber(backend, publisher);
        CompletableFuture<Void> enough = new CompletableFuture<>();
        List<Long> got = Collections.synchronizedList(new ArrayList<>());
        IdleSubscriber idle = new IdleSubscriber();
        subscriber.subscribe(7).subscribe(idle);
        idle.request(10);
        Link.await(() -> idle.got().size() == 10, () -> idle.got().toString());
        idle.cancel();
        awaitNobody(publisher);
        assertThat(publisher.statistics().published()).isEqualTo(10);
        assertThat(publisher.statistics().undelivered()).isZero();
        subscriber.subscribe(7).map(Numbers::number).takeUntil(n -> n == 20).subscribe(got::add, enough::completeExceptionally,
                () -> enough.complete(null));
        enough.orTimeout(30, TimeUnit.SECONDS).join();
        awaitNobody(publisher);
        PublisherStatistics statistics = publisher.statistics();
        long sent = statistics.published() - statistics.undelivered();
        assertThat(sent).isBetween(31L, statistics.published());
    }

    private static Flux<ByteBuffer> large(int messages) {
        return Flux.range(0, messages).map(n -> ByteBuffer.allocate(LARGE).putLong(0, n));
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldNotOvertakeTheLastMessageWithTheError(BackendType backend) {
        NetioPublisher publisher = NetioPublisher.create()
                .publish(7, large(2).concatWith(Flux.error(new IllegalStateException("as planned"))))
                .publishEach(Tags.of(8), tag -> large(2).concatWith(Flux.error(new IllegalStateException("as planned"))));
        NetioSubscriber subscriber = subscriber(backend, publisher);
        for (int tag = 7; tag <= 8; tag++) {
            StepVerifier.create(subscriber.subscribe(tag).map(Numbers::number)).expectNext(0L, 1L)
                    .expectErrorMatches(error -> error.getMessage().contains("as planned")).verify(PATIENCE);
        }
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldSendWhatItHasWhenThePublisherIsDisposed(BackendType backend) {
        Sinks.Many<ByteBuffer> sink = Sinks.many().unicast().onBackpressureBuffer();
        NetioPublisher publisher = NetioPublisher.create().publish(7, sink.asFlux());
        NetioSubscriber subscriber = subscriber(backend, publisher);
        List<Long> got = Collections.synchronizedList(new ArrayList<>());
        CompletableFuture<Throwable> end = new CompletableFuture<>();
        subscriber.subscribe(7).map(Numbers::number).subscribe(got::add, end::complete);
        Link.await(() -> publisher.statistics().subscribers() == 1, () -> "a subscriber");
        large(3).doOnNext(message -> sink.tryEmitNext(message).orThrow()).blockLast();
        publisher.dispose();
        assertThat(end.orTimeout(30, TimeUnit.SECONDS).join()).hasMessageContaining("closed");
        assertThat(got).isEqualTo(Numbers.upTo(3));
    }

    /** A shared source that has ended is not endless. */
    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldGiveTheRestOfWhatHasEndedAtAShutdown(BackendType backend) {
        NetioPublisher publisher = NetioPublisher.create(SlowPolicy.BACKPRESSURE, 1_024).publish(7, numbers(1_000));
        NetioSubscriber subscriber = subscriber(backend, publisher);
        List<Long> got = Collections.synchronizedList(new ArrayList<>());
        CompletableFuture<Void> end = new CompletableFuture<>();
        subscriber.subscribe(7).publishOn(Schedulers.single(), 1).map(Numbers::number)
                .delayUntil(n -> n % 100 == 0 ? Flux.just(1).delayElements(Duration.ofMillis(5)) : Flux.empty())
                .subscribe(got::add, end::completeExceptionally, () -> end.complete(null));
        Link.await(() -> publisher.statistics().published() == 1_000, () -> publisher.statistics().toString());
        server.shutdown(PATIENCE).block(PATIENCE);
        end.orTimeout(30, TimeUnit.SECONDS).join();
        assertThat(got).isEqualTo(Numbers.upTo(1_000));
    }

    /** Its numbers go up to the last message that was published, and the count of what was dropped as well. */
    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldTellWhatAShutdownCutsOff(BackendType backend) {
        NetioPublisher publisher = NetioPublisher.create().publish(7, numbers(100).concatWith(Flux.never()));
        NetioSubscriber subscriber = subscriber(backend, publisher);
        List<SequencedEvent> events = Collections.synchronizedList(new ArrayList<>());
        CompletableFuture<Throwable> end = new CompletableFuture<>();
        BaseSubscriber<SequencedEvent> slow = new BaseSubscriber<>() {
            @Override
            protected void hookOnSubscribe(Subscription subscription) {
                request(10);
            }

            @Override
            protected void hookOnNext(SequencedEvent event) {
                events.add(event);
            }

            @Override
            protected void hookOnError(Throwable error) {
                end.complete(error);
            }
        };
        subscriber.subscribeSequenced(Tags.of(7)).subscribe(slow);
        Link.await(() -> events.size() == 10 && publisher.statistics().published() == 100, events::toString);
        server.shutdown(PATIENCE).subscribe();
        Link.await(() -> subscriber.statistics().dropped() == 90, () -> subscriber.statistics().toString());
        assertThat(end).isNotDone();
        slow.request(1);
        end.orTimeout(30, TimeUnit.SECONDS).join();
        assertThat(events.getLast()).isInstanceOfSatisfying(Gap.class, gap -> {
            assertThat(gap.from()).isEqualTo(10);
            assertThat(gap.to()).isEqualTo(99);
        });
        assertThat(publisher.statistics().kept()).isEqualTo(90);
    }
}
