// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.pubsub;

import static io.reactivenetio.Numbers.emit;
import static io.reactivenetio.Numbers.number;
import static io.reactivenetio.Numbers.numbers;
import static io.reactivenetio.Numbers.upTo;
import static io.reactivenetio.testing.TestSettings.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivenetio.Framing;
import io.reactivenetio.Link;
import io.reactivenetio.NetioClient;
import io.reactivenetio.NetioLoops;
import io.reactivenetio.NetioServer;
import io.reactivenetio.Numbers;
import io.reactivenetio.Warnings;
import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.api.SlowPolicy;
import io.reactivenetio.api.TaggedMessage;
import io.reactivenetio.api.Tags;
import io.reactivenetio.testing.TestSettings;
import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.exceptions.NetioException;
import io.reactivenetio.transport.exceptions.NetioStreamException;
import io.reactivenetio.transport.exceptions.StreamError;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.reactivestreams.Subscription;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.Exceptions;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;
import reactor.util.retry.Retry;

/** Publishers and subscribers across the wire. */
@Timeout(180)
class PublishSubscribeTest {

    private final List<NetioConnection> accepted = new CopyOnWriteArrayList<>();
    private final Disposable.Composite open = Disposables.composite();
    private NetioLoops loops = NetioLoops.shared();

    @BeforeEach
    void startLoops() {
        loops = NetioLoops.create("pubsub", 2);
    }

    @AfterEach
    void close() {
        open.dispose();
        accepted.forEach(NetioConnection::dispose);
        loops.dispose();
    }

    private NetioClient client(BackendType backend, NetioPublisher publisher) {
        DisposableServer server = publisher.serve(NetioServer.create().backend(backend).provider(TestSettings.PROVIDER)
                .host(TestSettings.ADDRESS).runOn(loops)).doOnConnection(accepted::add).bindNow();
        open.add(server::dispose);
        open.add(publisher);
        return NetioClient.create().backend(backend).provider(TestSettings.PROVIDER).host(TestSettings.ADDRESS).runOn(loops)
                .port(server.port());
    }

    private NetioSubscriber subscriber(BackendType backend, NetioPublisher publisher) {
        return NetioSubscriber.create(client(backend, publisher));
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldGiveEachSubscriberOfAColdTagAllOfIt(BackendType backend) {
        NetioSubscriber subscriber = subscriber(backend, NetioPublisher.create().publishEach(Tags.range(1, 10),
                tag -> numbers((int) tag * 10_000)));
        StepVerifier.create(Flux.merge(subscriber.subscribe(1).count(), subscriber.subscribe(3).count(),
                subscriber.subscribe(3).map(Numbers::number).collectList().map(all -> all.equals(upTo(30_000)) ? 1L
                        : 0L)).collectList()).assertNext(counts -> assertThat(counts).containsExactlyInAnyOrder(10_000L, 30_000L,
                        1L)).expectComplete().verify(PATIENCE);
        assertThat(subscriber.statistics().received()).isEqualTo(70_000);
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldAskAColdSourceForWhatTheSubscriberAsksFor(BackendType backend) {
        AtomicLong requested = new AtomicLong();
        NetioSubscriber subscriber = NetioSubscriber.create(client(backend, NetioPublisher.create().publishEach(Tags.of(1),
                tag -> numbers(1_000).doOnRequest(requested::addAndGet))).framing(Framing.stream().prefetch(0)));
        StepVerifier.create(subscriber.subscribe(1).map(Numbers::number), 0).expectSubscription()
                .expectNoEvent(Duration.ofMillis(200)).then(() -> assertThat(requested).hasValue(0))
                .thenRequest(5).expectNext(0L, 1L, 2L, 3L, 4L).then(() -> assertThat(requested).hasValue(5))
                .thenRequest(995).expectNextCount(995).expectComplete().verify(PATIENCE);
        assertThat(requested).hasValue(1_000);
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldShareAHotFluxAtThePaceOfTheSlowest(BackendType backend) {
        AtomicLong subscriptions = new AtomicLong();
        AtomicLong published = new AtomicLong();
        Sinks.Empty<Void> go = Sinks.empty();
        NetioPublisher publisher = NetioPublisher.create(SlowPolicy.BACKPRESSURE, 64).publish(7, numbers(100_000)
                .doOnNext(n -> published.incrementAndGet()).doOnSubscribe(s -> subscriptions.incrementAndGet())
                .publishOn(Schedulers.parallel()).delaySubscription(go.asMono()));
        NetioClient client = client(backend, publisher);
        IdleSubscriber slow = new IdleSubscriber();
        NetioSubscriber.create(client).subscribe(7).subscribe(slow);
        List<Long> fast = Collections.synchronizedList(new ArrayList<>());
        NetioSubscriber.create(client).subscribe(7).map(Numbers::number).subscribe(fast::add);
        Link.await(() -> publisher.statistics().subscribers() == 2, () -> "two subscribers");
        go.tryEmitEmpty();
        Link.await(() -> fast.size() == 64, () -> fast.size() + " messages, and the queue of the other has room for 64");
        slow.request(10);
        Link.await(() -> slow.got().size() == 10, () -> slow.got().size() + " of 10");
        slow.request(Long.MAX_VALUE);
        Link.await(() -> fast.size() == 100_000 && slow.got().size() == 100_000, () -> fast.size() + ", " + slow.got().size());
        assertThat(slow.got()).isEqualTo(upTo(100_000)).isEqualTo(fast);
        assertThat(subscriptions).hasValue(1);
        assertThat(publisher.statistics().dropped()).isZero();
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldDropTheNewestOrTheOldestAndSayHowMany(BackendType backend) {
        Sinks.Many<ByteBuffer> sink = Sinks.many().multicast().directBestEffort();
        NetioPublisher publisher = NetioPublisher.create(SlowPolicy.DROP_NEWEST, 16).publish(7, sink.asFlux()
                .onBackpressureBuffer());
        NetioClient client = client(backend, publisher);
        NetioSubscriber newest = NetioSubscriber.create(client);
        NetioSubscriber oldest = NetioSubscriber.create(client).whenSlow(SlowPolicy.DROP_OLDEST);
        List<Missed> told = new CopyOnWriteArrayList<>();
        IdleSubscriber one = new IdleSubscriber();
        IdleSubscriber other = new IdleSubscriber();
        newest.doOnMissed(told::add).subscribe(7).subscribe(one);
        oldest.doOnMissed(told::add).subscribe(7).subscribe(other);
        Link.await(() -> publisher.statistics().subscribers() == 2, () -> "two subscribers");
        for (long n = 0; n < 100; n++) {
            sink.tryEmitNext(number(n)).orThrow();
        }
        Link.await(() -> told.stream().mapToLong(Missed::messages).sum() == 2 * (100 - 16), () -> "told: " + told);
        assertThat(told).allMatch(missed -> missed.missed() == 0).allMatch(missed -> missed.tags().equals(Tags.of(7)));
        one.request(100);
        other.request(100);
        Link.await(() -> one.got().size() == 16 && other.got().size() == 16, () -> one.got() + " " + other.got());
        assertThat(one.got()).isEqualTo(upTo(16));
        assertThat(other.got()).isEqualTo(LongStream.range(84, 100).boxed().toList());
        assertThat(publisher.statistics().dropped()).isEqualTo(2 * (100 - 16));
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldFailASlowSubscriberThatWishesSo(BackendType backend) {
        Sinks.Many<ByteBuffer> sink = Sinks.many().multicast().directBestEffort();
        NetioPublisher publisher = NetioPublisher.create(SlowPolicy.ERROR, 16).publish(7, sink.asFlux().onBackpressureBuffer());
        NetioSubscriber subscriber = subscriber(backend, publisher);
        IdleSubscriber slow = new IdleSubscriber();
        List<Long> fast = Collections.synchronizedList(new ArrayList<>());
        subscriber.subscribe(7).subscribe(slow);
        subscriber.whenSlow(SlowPolicy.DROP_OLDEST).subscribe(7).map(Numbers::number).subscribe(fast::add);
        Link.await(() -> publisher.statistics().subscribers() == 2, () -> "two subscribers");
        for (long n = 0; n < 17; n++) {
            sink.tryEmitNext(number(n)).orThrow();
        }
        Link.await(() -> slow.failure() instanceof NetioStreamException, () -> slow.failure().toString());
        assertThat(slow.failure()).hasMessageContaining("too slow: 16 messages wait");
        assertThat(((NetioStreamException) slow.failure()).error()).isEqualTo(StreamError.TOO_SLOW);
        sink.tryEmitNext(number(17)).orThrow();
        Link.await(() -> !fast.isEmpty() && fast.getLast() == 17, fast::toString);
    }

    /** All others would wait with it. */
    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldNotWaitForASubscriberWhenThePublisherDoesNot(BackendType backend) {
        AtomicInteger made = new AtomicInteger();
        NetioPublisher publisher = NetioPublisher.create(SlowPolicy.DROP_NEWEST, 16).publish(7, numbers(1))
                .publishEach(Tags.of(8), tag -> {
                    made.incrementAndGet();
                    return numbers(100);
                });
        NetioSubscriber subscriber = subscriber(backend, publisher).whenSlow(SlowPolicy.BACKPRESSURE);
        for (Flux<TaggedMessage> refused : List.of(subscriber.subscribe(7), subscriber.subscribe(Tags.range(7, 8)))) {
            StepVerifier.create(refused).expectErrorSatisfies(error -> {
                assertThat(error).isInstanceOf(NetioStreamException.class).hasMessageContaining("its policy is DROP_NEWEST");
                assertThat(((NetioStreamException) error).error()).isEqualTo(StreamError.NOT_SERVED);
            }).verify(PATIENCE);
        }
        assertThat(made).hasValue(0);
        assertThat(publisher.statistics().subscribers()).isZero();
        StepVerifier.create(subscriber.subscribe(8).count()).expectNext(100L).expectComplete().verify(PATIENCE);
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldRefuseATagThatNobodyServes(BackendType backend) {
        NetioSubscriber subscriber = subscriber(backend, NetioPublisher.create().publish(7, numbers(1)));
        StepVerifier.create(subscriber.reconnect(Retry.max(3)).subscribe(8)) // there may be a publisher later
                .expectErrorMatches(Exceptions::isRetryExhausted).verify(PATIENCE);
        StepVerifier.create(subscriber.subscribe(8)).expectErrorSatisfies(error -> {
            assertThat(error).isInstanceOf(NetioStreamException.class).hasMessageContaining("nobody serves tag 8");
            assertThat(((NetioStreamException) error).error()).isEqualTo(StreamError.NOT_SERVED);
        }).verify(PATIENCE);
        StepVerifier.create(subscriber.subscribe(Tags.range(100, 200))).expectErrorSatisfies(error -> assertThat(error)
                .hasMessageContaining("nobody serves any of these tags")).verify(PATIENCE);
        assertThatThrownBy(() -> subscriber.subscribe(1, 1)).isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldSubscribeToRangesMasksAndManyTags(BackendType backend) {
        NetioPublisher publisher = NetioPublisher.create().publishEach(Tags.range(0x90, 0x9f), tag -> numbers(10));
        for (long tag = 1; tag <= 20; tag++) {
            publisher.publishEach(Tags.of(tag), each -> Flux.range(0, 1_000).map(n -> number(each * 10_000 + n)));
        }
        NetioSubscriber subscriber = subscriber(backend, publisher);
        check(subscriber.subscribe(Tags.range(5, 8)), List.of(5L, 6L, 7L, 8L));
        check(subscriber.subscribe(Tags.masked(16, ~3L)), List.of(16L, 17L, 18L, 19L));
        check(subscriber.subscribe(1, 9, 20), List.of(1L, 9L, 20L));
        StepVerifier.create(subscriber.subscribe(0x95).count()).expectNext(10L).expectComplete().verify(PATIENCE);
    }

    /** A thousand messages of each of these tags, each in order. */
    private static void check(Flux<TaggedMessage> messages, List<Long> tags) {
        List<TaggedMessage> all = messages.collectList().block(PATIENCE);
        assertThat(all).hasSize(1_000 * tags.size());
        for (long tag : tags) {
            assertThat(all.stream().filter(message -> message.tag() == tag).map(Numbers::number).toList())
                    .isEqualTo(LongStream.range(0, 1_000).map(n -> tag * 10_000 + n).boxed().toList());
        }
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldPassTagsAndStatusOfMessagesOfAnySize(BackendType backend) {
        List<TaggedMessage> sent = new ArrayList<>();
        for (int size : new int[] {0, 1, 61_410, 61_415, 61_419, 61_420, 61_428, 61_429, 200_000, 3}) {
            sent.add(new TaggedMessage(100 + size % 7, size % 256, ByteBuffer.allocate(size).put(new byte[size]).flip()));
            sent.add(new TaggedMessage(-1L, 0, ByteBuffer.wrap(new byte[size])));
        }
        Tags tags = Tags.masked(0, 0);
        NetioSubscriber subscriber = subscriber(backend, NetioPublisher.create().publish(tags, Flux.fromIterable(sent)));
        assertThat(subscriber.subscribe(tags).collectList().block(PATIENCE)).isEqualTo(sent);
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldFailAMessageThatTheSubscriberDoesNotTake(BackendType backend) {
        NetioClient client = client(backend, NetioPublisher.create().publish(7, Flux.just(ByteBuffer.allocate(10_000),
                ByteBuffer.allocate(10_001)))).framing(Framing.stream().maxMessageSize(10_000));
        StepVerifier.create(NetioSubscriber.create(client).subscribe(7)).expectNextCount(1).expectErrorSatisfies(error ->
                assertThat(error).hasMessageContaining("a message of 10001 bytes; the peer takes at most 10000"))
                .verify(PATIENCE);
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldReconnectResubscribeAndSayWhatWasMissed(BackendType backend) {
        Sinks.Many<ByteBuffer> sink = Sinks.many().multicast().directBestEffort();
        NetioPublisher publisher = NetioPublisher.create(SlowPolicy.DROP_OLDEST, 256)
                .publish(7, sink.asFlux().onBackpressureBuffer());
        List<Missed> told = new CopyOnWriteArrayList<>();
        List<Long> got = Collections.synchronizedList(new ArrayList<>());
        Sinks.Empty<Void> back = Sinks.empty();
        NetioSubscriber subscriber = subscriber(backend, publisher).doOnMissed(told::add)
                .reconnect(Retry.from(lost -> lost.concatMap(signal -> back.asMono().thenReturn(signal))));
        Disposable subscription = subscriber.subscribe(7).map(Numbers::number).subscribe(got::add);
        Link.await(() -> publisher.statistics().subscribers() == 1, () -> "a subscriber");
        emit(sink, 0, 10);
        Link.await(() -> got.size() == 10, got::toString);
        accepted.getFirst().dispose();
        Link.await(() -> publisher.statistics().subscribers() == 0, () -> "it is gone");
        emit(sink, 10, 15);
        back.tryEmitEmpty();
        Link.await(() -> publisher.statistics().subscribers() == 1, () -> "it is back");
        emit(sink, 15, 20);
        Link.await(() -> got.size() == 15, got::toString);
        assertThat(got).isEqualTo(LongStream.concat(LongStream.range(0, 10), LongStream.range(15, 20)).boxed().toList());
        assertThat(told).singleElement().satisfies(missed -> {
            assertThat(missed.tags()).isEqualTo(Tags.of(7));
            assertThat(missed.missed()).isEqualTo(5);
            assertThat(missed.dropped()).isZero();
        });
        Link.await(() -> subscriber.statistics().received() == 15, () -> subscriber.statistics().toString());
        SubscriberStatistics statistics = subscriber.statistics();
        assertThat(statistics.receivedBytes()).isEqualTo(15 * Long.BYTES);
        assertThat(statistics.dropped()).isZero();
        assertThat(statistics.missed()).isEqualTo(5);
        assertThat(statistics.connections()).isEqualTo(2);
        assertThat(statistics.reconnects()).isEqualTo(1);
        assertThat(statistics.reconnectAttempts()).isEqualTo(1);
        subscription.dispose();
        Link.await(() -> accepted.stream().allMatch(NetioConnection::isDisposed), () -> "the connection is closed with the last");
    }

    /** Whatever happens to its connections: each message is received, or known to be dropped or missed. */
    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldAccountForEveryMessageWhenConnectionsAreCutAtRandom(BackendType backend) throws InterruptedException {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        int count = TestSettings.scaled(300_000);
        for (SlowPolicy policy : List.of(SlowPolicy.BACKPRESSURE, SlowPolicy.DROP_NEWEST, SlowPolicy.DROP_OLDEST)) {
            NetioPublisher publisher = NetioPublisher.create(policy, 64).publish(7, numbers(count)
                    .publishOn(Schedulers.parallel()));
            NetioSubscriber subscriber = subscriber(backend, publisher).reconnect(Retry.fixedDelay(10_000, Duration.ofMillis(1)));
            List<Long> got = new ArrayList<>();
            CompletableFuture<Long> done = subscriber.subscribe(Tags.masked(7, 7)).map(Numbers::number)
                    .publishOn(Schedulers.parallel(), 16).doOnNext(got::add).count().toFuture();
            // who is cut off before it has heard a number does not know where it began
            Link.await(() -> subscriber.statistics().received() > 0, () -> "a first message");
            for (int i = 0; i < 20 && !done.isDone(); i++) {
                long enough = subscriber.statistics().received() + (random.nextBoolean() ? 0 : random.nextInt(count / 20));
                Link.await(() -> done.isDone() || subscriber.statistics().received() >= enough, () -> "some messages");
                accepted.forEach(NetioConnection::dispose);
            }
            long received = done.orTimeout(60, TimeUnit.SECONDS).join();
            SubscriberStatistics statistics = subscriber.statistics();
            assertThat(statistics.received() + statistics.dropped() + statistics.missed())
                    .as("seed %d, %s, %s", seed, policy, statistics).isEqualTo(count);
            assertThat(statistics.received()).isEqualTo(received);
            assertThat(got).as("seed %d", seed).isSorted().doesNotHaveDuplicates();
            if (policy == SlowPolicy.BACKPRESSURE) {
                assertThat(statistics.dropped()).isZero();
            }
        }
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldFailWithTheSourceAndStillTellThoseThatComeLater(BackendType backend) {
        NetioSubscriber subscriber = subscriber(backend, NetioPublisher.create().publish(7, numbers(10)
                .concatWith(Flux.error(new IllegalStateException("no more beam"))))
                .publishEach(Tags.of(8), tag -> {
                    throw new IllegalArgumentException("no such run");
                }));
        StepVerifier.create(subscriber.subscribe(7)).expectNextCount(10).expectErrorSatisfies(error -> assertThat(error)
                .isInstanceOf(NetioStreamException.class).hasMessageContaining("no more beam")).verify(PATIENCE);
        StepVerifier.create(subscriber.subscribe(7)).expectErrorSatisfies(error -> assertThat(error)
                .hasMessageContaining("no more beam")).verify(PATIENCE);
        StepVerifier.create(subscriber.subscribe(8)).expectErrorSatisfies(error -> assertThat(error)
                .hasMessageContaining("no such run")).verify(PATIENCE);
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldCancelAColdSourceAndServeStreamsBesideIt(BackendType backend) {
        AtomicLong cancelled = new AtomicLong();
        NetioPublisher publisher = NetioPublisher.create().publishEach(Tags.of(1), tag -> numbers(Integer.MAX_VALUE)
                .subscribeOn(Schedulers.parallel()).doOnCancel(cancelled::incrementAndGet));
        NetioClient client = client(backend, publisher);
        NetioSubscriber subscriber = NetioSubscriber.create(client);
        StepVerifier.create(subscriber.subscribe(1).take(10_000).count()).expectNext(10_000L).expectComplete().verify(PATIENCE);
        Link.await(() -> cancelled.get() == 1 && publisher.statistics().subscribers() == 0, () -> "the source is cancelled");
        NetioConnection connection = client.framing(Framing.stream()).connectNow();
        open.add(connection);
        Link.await(() -> accepted.size() == 2, () -> "accepted");
        accepted.getLast().stream(2).send(numbers(10)).then(accepted.getLast().stream(2).completeOutbound()).subscribe();
        StepVerifier.create(connection.stream(2).receive().count()).expectNext(10L).expectComplete().verify(PATIENCE);
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldEndWithItsLoopWithoutFailingThere(BackendType backend) {
        try (Warnings warnings = new Warnings()) {
            for (int i = 0; i < 10; i++) {
                NetioLoops own = NetioLoops.create("short", 1);
                NetioSubscriber subscriber = NetioSubscriber.create(client(backend, NetioPublisher.create().publishEach(
                        Tags.of(1), tag -> numbers(Integer.MAX_VALUE))).runOn(own));
                StepVerifier.create(subscriber.subscribe(1)).expectNextCount(10_000).then(own::dispose)
                        .thenConsumeWhile(n -> true).expectError(NetioException.class).verify(PATIENCE);
            }
            assertThat(warnings.text()).doesNotContain("A callback of event loop");
        }
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldEndWhenThePublisherIsDisposedOf(BackendType backend) {
        NetioPublisher publisher = NetioPublisher.create().publish(7, Flux.never());
        NetioSubscriber subscriber = subscriber(backend, publisher);
        StepVerifier.create(subscriber.subscribe(7)).then(() -> Link.await(() -> publisher.statistics().subscribers() == 1,
                () -> "a subscriber")).then(publisher::dispose).expectErrorSatisfies(error -> assertThat(error)
                .isInstanceOf(NetioException.class).hasMessageContaining("the publisher was closed (code 7)")).verify(PATIENCE);
    }

    /** A source that emits on the loop as soon as it is asked, and without end, has to leave room for others there. */
    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldServeOthersBesideASourceThatNobodyHoldsBack(BackendType backend) {
        Flux<ByteBuffer> endless = Flux.generate(sink -> sink.next(number(1)));
        NetioPublisher publisher = NetioPublisher.create(SlowPolicy.BACKPRESSURE, 16).publish(1, endless)
                .publish(Tags.range(20, 30), endless.map(payload -> TaggedMessage.of(20, payload)))
                .publishEach(Tags.of(2), tag -> endless).publishEach(Tags.of(3), tag -> numbers(1_000));
        NetioSubscriber subscriber = subscriber(backend, publisher);
        NetioSubscriber dropping = subscriber.whenSlow(SlowPolicy.DROP_NEWEST);
        List<IdleSubscriber> idle = List.of(new IdleSubscriber(), new IdleSubscriber(), new IdleSubscriber());
        dropping.subscribe(1).subscribe(idle.get(0));
        dropping.subscribe(2).subscribe(idle.get(1));
        subscriber.subscribe(21).subscribe(idle.get(2)); // of which there are none
        Link.await(() -> publisher.statistics().subscribers() == 3, () -> publisher.statistics().toString());
        StepVerifier.create(subscriber.subscribe(3).count()).expectNext(1_000L).expectComplete().verify(PATIENCE);
        long dropped = publisher.statistics().dropped();
        Link.await(() -> publisher.statistics().dropped() > dropped + 10_000, () -> "they go on");
        idle.forEach(BaseSubscriber::cancel);
        Link.await(() -> publisher.statistics().subscribers() == 0, () -> publisher.statistics().toString());
    }

    /** On the loop, too, and without keeping others from it. */
    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldGoOnWithASharedSourceThatNobodySubscribesTo(BackendType backend) {
        AtomicLong emitted = new AtomicLong();
        Flux<ByteBuffer> endless = Flux.<ByteBuffer>generate(sink -> sink.next(number(emitted.incrementAndGet())));
        NetioPublisher publisher = NetioPublisher.create(SlowPolicy.DROP_OLDEST, 16).publish(1, endless)
                .publishEach(Tags.of(3), tag -> numbers(1_000));
        NetioSubscriber subscriber = subscriber(backend, publisher);
        StepVerifier.create(subscriber.subscribe(1).take(1)).expectNextCount(1).expectComplete().verify(PATIENCE);
        Link.await(() -> publisher.statistics().subscribers() == 0, () -> publisher.statistics().toString());
        long before = emitted.get();
        Link.await(() -> emitted.get() > before + 10_000, () -> emitted.get() - before + " more");
        StepVerifier.create(subscriber.whenSlow(SlowPolicy.BACKPRESSURE).subscribe(3).count()).expectNext(1_000L).expectComplete()
                .verify(PATIENCE);
        StepVerifier.create(subscriber.subscribe(1).map(Numbers::number).take(1))
                .expectNextMatches(number -> number > before + 10_000).expectComplete().verify(PATIENCE);
        publisher.dispose();
    }

    /** A source that throws where it must not fails its own stream. */
    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldServeOthersBesideASourceThatThrows(BackendType backend) {
        NetioPublisher publisher = NetioPublisher.create(SlowPolicy.BACKPRESSURE, 16)
                .publishEach(Tags.range(0, 9), tag -> subscriber -> subscriber.onSubscribe(new Subscription() {
                    @Override
                    public void request(long n) {
                        if (tag == 0) {
                            throw new IllegalStateException("no requests");
                        }
                        subscriber.onNext(number(tag));
                    }

                    @Override
                    public void cancel() {
                        throw new IllegalStateException("no cancels");
                    }
                })).publishEach(Tags.of(10), tag -> numbers(Integer.MAX_VALUE));
        NetioSubscriber subscriber = subscriber(backend, publisher);
        AtomicLong next = new AtomicLong();
        // a few at a time: without a bound, all that the receive buffers hold is before each of the other streams' frames
        Disposable beside = subscriber.prefetch(0).subscribe(10).map(Numbers::number)
                .takeWhile(n -> n == next.get()).limitRate(64).subscribe(n -> next.incrementAndGet());
        for (int i = 0; i < 10; i++) {
            StepVerifier.create(subscriber.subscribe(0)).expectErrorSatisfies(error -> assertThat(error)
                    .isInstanceOf(NetioStreamException.class).hasMessageContaining("no requests")).verify(PATIENCE);
            StepVerifier.create(subscriber.subscribe(1).take(1)).expectNextCount(1).expectComplete().verify(PATIENCE);
        }
        long before = next.get();
        Link.await(() -> next.get() > before + 1_000, () -> next + " messages");
        assertThat(subscriber.statistics().connections()).isEqualTo(1);
        beside.dispose();
    }
}
