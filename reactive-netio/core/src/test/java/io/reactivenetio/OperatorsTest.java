// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import static io.reactivenetio.testing.TestSettings.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.api.ConnectionStatistics;
import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.EndSignal;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.testing.TestSettings;
import io.reactivenetio.transport.BackendType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;
import reactor.util.retry.Retry;

/** Each of the operators that commonly surprise, over each way to receive, with many messages and a slow consumer. */
@Timeout(180)
class OperatorsTest {
    private final NetioLoops loops = NetioLoops.create("operators", 2);

    /** The three ways to receive, as the source of a chain. */
    enum Receiving {
        COPIES {
            @Override
            Flux<Integer> from(NetioConnection connection, Function<Flux<Object>, Flux<Integer>> chain) {
                return chain.apply(connection.receive().cast(Object.class));
            }
        },
        DECODED {
            @Override
            Flux<Integer> from(NetioConnection connection, Function<Flux<Object>, Flux<Integer>> chain) {
                return chain.apply(connection.receive(Link::number).cast(Object.class));
            }
        },
        LEASED {
            @Override
            Flux<Integer> from(NetioConnection connection, Function<Flux<Object>, Flux<Integer>> chain) {
                return connection.receiveLeased(leases -> chain.apply(leases.cast(Object.class)));
            }
        };

        abstract Flux<Integer> from(NetioConnection connection, Function<Flux<Object>, Flux<Integer>> chain);
    }

    @AfterEach
    void stop() {
        loops.dispose();
    }

    /** Each operator with each way to receive, over one backend or the other; over both in the full run. */
    static Stream<Arguments> everything() {
        return Arrays.stream(SurprisingOperator.values()).flatMap(operator -> Arrays.stream(Receiving.values())
                .flatMap(receiving -> Stream.of(BackendType.LIBFABRIC, BackendType.TCP)
                        .filter(backend -> TestSettings.FULL || (operator.ordinal() + receiving.ordinal()) % 2
                                == (backend == BackendType.TCP ? 1 : 0))
                        .map(backend -> Arguments.of(operator, receiving, backend))));
    }

    @ParameterizedTest
    @MethodSource("everything")
    void shouldServeASlowConsumer(SurprisingOperator operator, Receiving receiving, BackendType backend) throws Exception {
        try (Link link = new Link(loops, backend, server -> server)) {
            SlowConsumer consumer = new SlowConsumer();
            receiving.from(link.receiving, operator.chain).subscribe(consumer);
            link.send(Link.MANY);
            awaitStandstill(link, operator);
            consumer.begin();
            check(operator, consumer.numbers());
            link.awaitBalance(() -> "after " + operator);
        }
    }

    /** Without demand the peer sends as much as the operator asks for and as there are buffers, and no more. */
    private static void awaitStandstill(Link link, SurprisingOperator operator) {
        if (operator.ahead < 0) {
            Link.await(() -> link.receiving.statistics().receivedMessages() == Link.MANY, () -> "all to arrive");
            return;
        }
        Link.await(() -> occupied(link.receiving.statistics()) == Link.CREDITS, () -> "all buffers full");
        assertThat(link.receiving.statistics().receivedMessages()).isLessThanOrEqualTo(operator.ahead + Link.CREDITS);
    }

    private static long occupied(ConnectionStatistics now) {
        return now.creditsInUse() + now.leasedBuffers();
    }

    private static void check(SurprisingOperator operator, List<Integer> got) {
        List<Integer> all = IntStream.range(0, Link.MANY).boxed().toList();
        switch (operator) {
            case PUBLISH_ON, CONCAT_MAP, BUFFER, WINDOW, TIMEOUT -> assertThat(got).isEqualTo(all);
            case FLAT_MAP -> assertThat(got.stream().sorted().toList()).isEqualTo(all);
            case GROUP_BY -> {
                Map<Integer, List<Integer>> groups = new HashMap<>();
                got.forEach(n -> groups.computeIfAbsent(n % 5, key -> new ArrayList<>()).add(n));
                assertThat(groups).hasSize(5).allSatisfy((key, group) -> assertThat(group).hasSize(Link.MANY / 5).isSorted());
            }
            case FILTER -> assertThat(got).isEqualTo(all.stream().filter(n -> n % 2 == 0).toList());
            case TAKE -> assertThat(got).isEqualTo(all.subList(0, Link.MANY / 2));
            case MERGE -> {
                assertThat(got.stream().filter(n -> n < Link.MANY).toList()).isEqualTo(all);
                assertThat(got).hasSize(Link.MANY + 100);
            }
            case SWITCH_MAP -> assertThat(got).isSorted().doesNotHaveDuplicates().endsWith(Link.MANY - 1);
            case ON_BACKPRESSURE_DROP -> assertThat(got).isSorted().doesNotHaveDuplicates().hasSizeLessThanOrEqualTo(Link.MANY);
            default -> throw new AssertionError("what is " + operator + " to give?");
        }
    }

    /** One inbound to many subscribers: credits follow the one that asks for least. */
    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldBeHeldBackByTheSlowestOfSeveralSubscribers(BackendType backend) throws Exception {
        try (Link link = new Link(loops, backend, server -> server)) {
            Flux<Integer> shared = link.receiving.receive(Link::number).publish().refCount(2);
            SlowConsumer slow = new SlowConsumer();
            CompletableFuture<List<Integer>> fast = shared.collectList().toFuture();
            shared.subscribe(slow);
            link.send(Link.MANY);
            Link.await(() -> occupied(link.receiving.statistics()) == Link.CREDITS
                    && link.receiving.statistics().receivedMessages() == 256 + Link.CREDITS,
                    () -> link.receiving.statistics().toString());
            slow.begin();
            List<Integer> all = IntStream.range(0, Link.MANY).boxed().toList();
            assertThat(slow.numbers()).isEqualTo(all);
            assertThat(fast.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isEqualTo(all);
            link.awaitBalance(() -> "after both");
        }
    }

    /** A receiver is for one subscriber, so it is the connection that is retried, each time a fresh one. */
    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldReceiveAnewFromAFreshConnectionWhenRetried(BackendType backend) throws Exception {
        AtomicInteger connections = new AtomicInteger();
        DisposableServer server = NetioServer.create().framing(Framing.raw().endSignal(EndSignal.EMPTY_MESSAGE)).backend(backend)
                .runOn(loops)
                .handle((in, out) -> out.send(Flux.range(0, Link.MANY).map(Link::message)).then(out.completeOutbound()))
                .bindNow();
        NetioClient client = NetioClient.create().framing(Framing.raw().endSignal(EndSignal.EMPTY_MESSAGE)).backend(backend)
                .runOn(loops)
                .receiveBuffers(64, Link.CREDITS).port(server.port());
        Flux<Integer> messages = client.connect().flatMapMany(connection -> {
            int attempt = connections.incrementAndGet();
            return connection.receiveLeased(leases -> leases.map(SurprisingOperator::take))
                    .doOnNext(number -> {
                        if (attempt < 3 && number == 1_000 * attempt) {
                            throw new IllegalStateException("attempt " + attempt);
                        }
                    })
                    .doFinally(signal -> connection.dispose());
        }).retryWhen(Retry.backoff(5, Duration.ofMillis(5)));
        SlowConsumer consumer = new SlowConsumer();
        messages.subscribe(consumer);
        consumer.begin();
        List<Integer> expected = new ArrayList<>(IntStream.range(0, 1_000).boxed().toList());
        expected.addAll(IntStream.range(0, 2_000).boxed().toList());
        expected.addAll(IntStream.range(0, Link.MANY).boxed().toList());
        assertThat(consumer.numbers()).isEqualTo(expected);
        assertThat(connections).hasValue(3);
        server.disposeNow(PATIENCE);
    }

    /** Asks for nothing at first; then for a few at a time, and takes its time before it asks for more. */
    private static final class SlowConsumer extends BaseSubscriber<Integer> {
        private static final int BATCH = 64;

        private final Scheduler elsewhere = Schedulers.single();
        private final CompletableFuture<Void> subscribed = new CompletableFuture<>();
        private final CompletableFuture<List<Integer>> result = new CompletableFuture<>();
        private final List<Integer> numbers = new ArrayList<>();

        @Override
        protected void hookOnSubscribe(Subscription subscription) {
            subscribed.complete(null); // begin() asks
        }

        /** All buffers may be full before the loop has come to the subscription, and what is asked for until then is lost. */
        void begin() {
            subscribed.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
            request(BATCH);
        }

        List<Integer> numbers() throws Exception {
            try {
                return result.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            } catch (TimeoutException e) {
                throw new AssertionError("stands still after " + numbers.size() + " numbers", e);
            }
        }

        @Override
        protected void hookOnNext(Integer number) {
            numbers.add(number);
            if (numbers.size() % BATCH == 0) {
                elsewhere.schedule(() -> request(BATCH), 200, TimeUnit.MICROSECONDS);
            }
        }

        @Override
        protected void hookOnComplete() {
            result.complete(numbers);
        }

        @Override
        protected void hookOnError(Throwable error) {
            result.completeExceptionally(error);
        }
    }
}
