// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.pubsub;

import static io.reactivenetio.testing.TestSettings.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivenetio.Link;
import io.reactivenetio.NetioClient;
import io.reactivenetio.NetioCodec;
import io.reactivenetio.NetioLoops;
import io.reactivenetio.NetioServer;
import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.api.NetioEncoder;
import io.reactivenetio.api.SlowPolicy;
import io.reactivenetio.api.Tags;
import io.reactivenetio.testing.TestSettings;
import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.exceptions.NetioStreamException;
import io.reactivenetio.transport.exceptions.StreamError;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;
import reactor.util.retry.Retry;

/** Publishers and subscribers of values. */
@Timeout(180)
class TypedPublishTest {
    private static final int MANY = 10_000;
    private static final int MOST = 1 << 30;

    private record Hit(long time, int channel) {
    }

    /** A message with its tag and status. */
    private record Seen(long tag, int status, String text) {
    }

    private static final NetioCodec<Hit> HITS = NetioCodec.ofRecord(Hit.class);

    private final List<NetioConnection> accepted = new CopyOnWriteArrayList<>();
    private final Disposable.Composite open = Disposables.composite();
    private NetioLoops loops = NetioLoops.shared();

    @BeforeEach
    void startLoops() {
        loops = NetioLoops.create("typed", 2);
    }

    @AfterEach
    void close() {
        open.dispose();
        accepted.forEach(NetioConnection::dispose);
        loops.dispose();
    }

    private NetioSubscriber subscriber(BackendType backend, NetioPublisher publisher, UnaryOperator<NetioClient> options) {
        DisposableServer server = publisher.serve(NetioServer.create().backend(backend).provider(TestSettings.PROVIDER)
                .host(TestSettings.ADDRESS).runOn(loops)).doOnConnection(accepted::add).bindNow();
        open.add(server::dispose);
        open.add(publisher);
        return NetioSubscriber.create(options.apply(NetioClient.create().backend(backend).provider(TestSettings.PROVIDER)
                .host(TestSettings.ADDRESS).runOn(loops).port(server.port())));
    }

    private NetioSubscriber subscriber(NetioPublisher publisher) {
        return subscriber(BackendType.TCP, publisher, client -> client);
    }

    private static Flux<Hit> hits(long tag, int count) {
        return Flux.range(0, count).map(i -> new Hit(tag, i));
    }

    private static List<Hit> expected(long tag, int count) {
        return IntStream.range(0, count).mapToObj(i -> new Hit(tag, i)).toList();
    }

    // ---- what arrives

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldPassValuesOfSourcesOfEachKind(BackendType backend) {
        NetioPublisher publisher = NetioPublisher.create().publish(1, hits(1, MANY), HITS)
                .publish(Tags.range(2, 3), hits(2, MANY).publishOn(Schedulers.parallel()), hit -> 2 + hit.channel % 2, HITS)
                .publishEach(Tags.range(4, 9), tag -> hits(tag, MANY), HITS);
        NetioSubscriber subscriber = subscriber(backend, publisher, client -> client);
        assertThat(subscriber.subscribe(HITS, 1).collectList().block(PATIENCE)).isEqualTo(expected(1, MANY));
        assertThat(subscriber.subscribe(HITS, Tags.range(2, 3)).collectList().block(PATIENCE)).isEqualTo(expected(2, MANY));
        List<Hit> merged = subscriber.subscribe(HITS, 4, 5, 9).collectList().block(PATIENCE);
        assertThat(merged).hasSize(3 * MANY);
        for (long tag : List.of(4L, 5L, 9L)) {
            assertThat(merged.stream().filter(hit -> hit.time == tag).toList()).isEqualTo(expected(tag, MANY));
        }
        assertThat(subscriber.statistics().received()).isEqualTo(5L * MANY);
    }

    @Test
    void shouldShowTagAndStatusToTheDecoder() {
        NetioPublisher publisher = NetioPublisher.create().publish(Tags.range(1, 2), Flux.just("a", "", "ccc"),
                text -> 1 + text.length() % 2, NetioCodec.utf8());
        NetioSubscriber subscriber = subscriber(publisher);
        assertThat(subscriber.<Seen>subscribe((tag, status, payload) -> new Seen(tag, status, NetioCodec.utf8().decode(payload)),
                Tags.masked(0, ~3L)).collectList().block(PATIENCE))
                .containsExactly(new Seen(2, 0, "a"), new Seen(1, 0, ""), new Seen(2, 0, "ccc"));
        NetioPublisher cold = NetioPublisher.create().publishEach(Tags.range(1, 2), tag -> Flux.just("" + tag),
                NetioCodec.utf8());
        assertThat(subscriber(cold).<Seen>subscribe((tag, status, payload) ->
                new Seen(tag, status, NetioCodec.utf8().decode(payload)), 1, 2).collectList().block(PATIENCE))
                .containsExactlyInAnyOrder(new Seen(1, 0, "1"), new Seen(2, 0, "2"));
    }

    @Test
    void shouldWriteAValueOnceForAllSubscribers() {
        AtomicInteger written = new AtomicInteger();
        NetioPublisher publisher = NetioPublisher.create().publish(1, hits(1, MANY), NetioEncoder.<Hit>ofSize(12,
                (hit, target) -> {
                    written.incrementAndGet();
                    HITS.encode(hit, target);
                }));
        NetioSubscriber subscriber = subscriber(publisher);
        List<CompletableFuture<List<Hit>>> all = IntStream.range(0, 3).mapToObj(i -> subscriber(publisher).subscribe(HITS, 1)
                .collectList().toFuture()).toList();
        subscriber.subscribe(HITS, 1).count().block(PATIENCE);
        all.forEach(hits -> assertThat(hits.orTimeout(60, TimeUnit.SECONDS).join()).isEqualTo(
                expected(1, MANY).subList(MANY - hits.join().size(), MANY)));
        assertThat(written.get()).isEqualTo(MANY);
    }

    @Test
    void shouldWriteInTheByteOrderOfThePublisher() {
        NetioPublisher publisher = NetioPublisher.builder().byteOrder(ByteOrder.LITTLE_ENDIAN).build()
                .publish(1, Flux.just(7L), NetioCodec.longs())
                .publish(Tags.of(2), Flux.just(7L), number -> 2, NetioCodec.longs())
                .publishEach(Tags.of(3), tag -> Flux.just(7L), NetioCodec.longs());
        NetioSubscriber little = subscriber(BackendType.TCP, publisher, client -> client.byteOrder(ByteOrder.LITTLE_ENDIAN));
        assertThat(little.subscribe(NetioCodec.longs(), 2, 3).collectList().block(PATIENCE)).containsExactly(7L, 7L);
        NetioSubscriber big = subscriber(publisher);
        assertThat(big.subscribe(NetioCodec.longs(), 1).blockFirst(PATIENCE)).isEqualTo(Long.reverseBytes(7));
        assertThat(subscriber(NetioPublisher.create().publish(1, Flux.just(7L), NetioCodec.longs()))
                .subscribe(NetioCodec.longs(), Tags.of(1)).blockFirst(PATIENCE)).isEqualTo(7L);
    }

    @Test
    void shouldAskAColdSourceForExactlyWhatTheSubscriberAsksFor() {
        AtomicLong asked = new AtomicLong();
        NetioSubscriber subscriber = subscriber(NetioPublisher.create().publishEach(Tags.of(1),
                tag -> hits(1, MANY).doOnRequest(asked::addAndGet), HITS));
        StepVerifier.create(subscriber.prefetch(0).subscribe(HITS, 1), 5).expectNextCount(5).thenAwait(Duration.ofMillis(50))
                .then(() -> assertThat(asked.get()).isEqualTo(5)).thenRequest(2).expectNextCount(2).thenCancel().verify(PATIENCE);
        assertThat(asked.get()).isEqualTo(7);
    }

    /** What waits in the merge of several tags when the connection is lost was not received. */
    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldAccountForEveryValueOfSeveralTagsWhenConnectionsAreCut(BackendType backend) throws InterruptedException {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        int count = TestSettings.scaled(100_000);
        NetioPublisher publisher = NetioPublisher.create(SlowPolicy.BACKPRESSURE, 64);
        for (long tag = 1; tag <= 3; tag++) {
            publisher.publish(tag, hits(tag, count).publishOn(Schedulers.parallel()), HITS);
        }
        NetioSubscriber subscriber = subscriber(backend, publisher, client -> client)
                .reconnect(Retry.fixedDelay(10_000, Duration.ofMillis(1)));
        List<List<Integer>> got = List.of(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
        Set<Long> begun = ConcurrentHashMap.newKeySet();
        CompletableFuture<Long> done = subscriber.subscribe(HITS, 1, 2, 3).doOnNext(hit -> begun.add(hit.time))
                .publishOn(Schedulers.parallel(), 16).doOnNext(hit -> got.get((int) hit.time - 1).add(hit.channel))
                .count().toFuture();
        // who is cut off before it has heard a number does not know where it began
        Link.await(() -> begun.size() == 3 && subscriber.statistics().received() > 1_000, begun::toString);
        for (int i = 0; i < 20 && !done.isDone(); i++) {
            long enough = subscriber.statistics().received() + (random.nextBoolean() ? 0 : random.nextInt(count / 20));
            Link.await(() -> done.isDone() || subscriber.statistics().received() >= enough, () -> "some messages");
            accepted.forEach(NetioConnection::dispose);
        }
        long received = done.orTimeout(60, TimeUnit.SECONDS).join();
        SubscriberStatistics statistics = subscriber.statistics();
        assertThat(statistics.received()).isEqualTo(received);
        assertThat(statistics.received() + statistics.missed()).as("seed %d, %s", seed, statistics).isEqualTo(3L * count);
        got.forEach(numbers -> assertThat(numbers).as("seed %d", seed).isSorted().doesNotHaveDuplicates());
    }

    // ---- what goes wrong

    /** Writes 4 of 8 bytes for 2, says that 3 has too many, and throws for 4. */
    private static final class Wrong implements NetioEncoder<Integer> {
        @Override
        public int size(Integer value) {
            return value == 3 ? MOST + 1 : value == 2 ? 8 : 4;
        }

        @Override
        public void encode(Integer value, ByteBuffer target) {
            if (value == 4) {
                throw new UnsupportedOperationException("no four");
            }
            target.putInt(value);
        }
    }

    private static void shouldFail(Flux<Integer> values, String text) {
        StepVerifier.create(values).expectNext(1).expectErrorSatisfies(error -> {
            assertThat(error).isInstanceOf(NetioStreamException.class).hasMessageContaining(text);
            assertThat(((NetioStreamException) error).error()).isEqualTo(StreamError.SOURCE_FAILED);
        }).verify(PATIENCE);
    }

    @Test
    void shouldFailASourceWhoseEncoderDoesWrong() {
        List<String> says = List.of(Wrong.class.getName() + " wrote 4 bytes of a message for which its size() had said 8",
                Wrong.class.getName() + " says that a message has " + (MOST + 1) + " bytes; at most " + MOST, "no four");
        NetioPublisher publisher = NetioPublisher.create();
        AtomicInteger cancelled = new AtomicInteger();
        for (int i = 0; i < 3; i++) {
            Flux<Integer> values = Flux.just(1, i + 2, 5).concatWith(Mono.never()).doOnCancel(cancelled::incrementAndGet);
            int tag = 20 + i;
            publisher.publish(10 + i, values, new Wrong()).publish(Tags.of(tag), values, value -> tag, new Wrong());
            publisher.publishEach(Tags.of(30 + i), each -> values, new Wrong());
        }
        NetioSubscriber subscriber = subscriber(publisher);
        for (int i = 0; i < 3; i++) {
            for (int tag = 10 + i; tag < 40; tag += 10) {
                shouldFail(subscriber.subscribe(ByteBuffer::getInt, tag), says.get(i));
            }
        }
        assertThat(cancelled.get()).isEqualTo(9);
        assertThat(subscriber.statistics().connections()).isEqualTo(9); // each closed the one it had for itself
    }

    @Test
    void shouldFailASourceWhoseValueHasAnotherTag() {
        NetioSubscriber subscriber = subscriber(NetioPublisher.create().publish(Tags.range(1, 4), Flux.just(1, 5), value -> value,
                new Wrong()).publish(Tags.range(5, 6), Flux.just(5, 6), value -> {
                    throw new IllegalStateException("a tag of " + value);
                }, new Wrong()));
        shouldFail(subscriber.subscribe(ByteBuffer::getInt, Tags.range(1, 4)),
                "a message with tag 5 where there should only be tags 1 to 4");
        assertThatThrownBy(() -> subscriber.subscribe(ByteBuffer::getInt, Tags.range(5, 6)).blockLast(PATIENCE))
                .hasMessageContaining("a tag of 5");
    }

    @Test
    void shouldFailASubscriberWhoseDecoderThrowsOrReturnsNull() {
        AtomicInteger cancelled = new AtomicInteger();
        NetioPublisher publisher = NetioPublisher.create().publishEach(Tags.range(1, 3),
                tag -> Flux.<Hit>never().startWith(new Hit(tag, 1)).doOnCancel(cancelled::incrementAndGet), HITS);
        NetioSubscriber subscriber = subscriber(publisher).reconnect(Retry.max(5)); // which is not asked about these
        assertThatThrownBy(() -> subscriber.subscribe(NetioCodec.longs(), 1).blockLast(PATIENCE))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("a message of 12 bytes; a long has 8");
        assertThatThrownBy(() -> subscriber.subscribe(NetioCodec.longs(), 1, 2, 3).blockLast(PATIENCE))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> subscriber.subscribe(message -> null, 1).blockLast(PATIENCE))
                .isInstanceOf(NullPointerException.class).hasMessageContaining("the decoder returned null");
        assertThatThrownBy(() -> subscriber.subscribe((tag, status, payload) -> null, 1, 2).blockLast(PATIENCE))
                .isInstanceOf(NullPointerException.class).hasMessageContaining("the decoder returned null");
        Link.await(() -> publisher.statistics().subscribers() == 0 && cancelled.get() == 7, () -> cancelled + " cancelled");
        assertThat(subscriber.statistics().connections()).isEqualTo(4);
    }

    @Test
    void shouldRefuseNoTagsAndATagTwice() {
        NetioSubscriber subscriber = NetioSubscriber.create(NetioClient.create());
        for (long[] tags : new long[][] {{}, {1, 1}}) {
            assertThatThrownBy(() -> subscriber.subscribe(HITS, tags)).isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("at least one tag, and to each once");
            assertThatThrownBy(() -> subscriber.subscribe((tag, status, payload) -> 1, tags))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }
}
