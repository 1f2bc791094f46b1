// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.pubsub;

import static io.reactivenetio.Numbers.numbers;
import static io.reactivenetio.Numbers.upTo;
import static io.reactivenetio.testing.TestSettings.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.Link;
import io.reactivenetio.NetioClient;
import io.reactivenetio.NetioLoops;
import io.reactivenetio.NetioServer;
import io.reactivenetio.Numbers;
import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.Lease;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.api.Tags;
import io.reactivenetio.testing.TestSettings;
import io.reactivenetio.transport.BackendType;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.reactivestreams.Subscription;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.test.StepVerifier;
import reactor.util.retry.Retry;

/** What a subscriber makes of the messages: copies, values that were decoded in place, leases. */
@Timeout(180)
class WaysToReceiveTest {
    private final Disposable.Composite open = Disposables.composite();
    private final List<NetioConnection> connections = new CopyOnWriteArrayList<>();
    private NetioLoops loops = NetioLoops.shared();

    @BeforeEach
    void startLoops() {
        loops = NetioLoops.create("ways", 2);
    }

    @AfterEach
    void close() {
        open.dispose();
        loops.dispose();
    }

    private NetioServer server(BackendType backend) {
        return NetioServer.create().backend(backend).provider(TestSettings.PROVIDER).host(TestSettings.ADDRESS).runOn(loops);
    }

    private NetioClient client(BackendType backend, int port) {
        return NetioClient.create().backend(backend).provider(TestSettings.PROVIDER).host(TestSettings.ADDRESS).port(port)
                .runOn(loops).doOnConnected(connections::add);
    }

    private NetioSubscriber subscriber(BackendType backend, NetioPublisher publisher) {
        DisposableServer server = publisher.serve(server(backend)).bindNow();
        open.add(server::dispose);
        open.add(publisher);
        return NetioSubscriber.create(client(backend, server.port()));
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldDecodeInPlaceWithTagAndStatus(BackendType backend) {
        NetioSubscriber subscriber = subscriber(backend, NetioPublisher.create().publishEach(Tags.of(7), tag -> numbers(1_000)));
        StepVerifier.create(subscriber.subscribe((tag, status, payload) -> tag + status + payload.getLong(), Tags.of(7))
                .collectList()).expectNext(upTo(1_000).stream().map(n -> n + 7).toList()).expectComplete().verify(PATIENCE);
        assertThat(subscriber.statistics().received()).isEqualTo(1_000);
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldEndWithWhatADecoderThrows(BackendType backend) {
        NetioSubscriber subscriber = subscriber(backend, NetioPublisher.create().publishEach(Tags.of(7), tag -> numbers(10)));
        StepVerifier.create(subscriber.subscribe((tag, status, payload) -> 6 / (3 - payload.getLong()), Tags.of(7)))
                .expectNext(2L, 3L, 6L).expectError(ArithmeticException.class).verify(PATIENCE);
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldLeaveMessagesInTheirReceiveBuffers(BackendType backend) {
        Sinks.Empty<Void> second = Sinks.empty();
        NetioSubscriber subscriber = subscriber(backend, NetioPublisher.create().publishEach(Tags.of(7),
                tag -> Flux.concat(numbers(1), numbers(1).delaySubscription(second.asMono()))));
        List<Lease> leases = new CopyOnWriteArrayList<>();
        subscriber.subscribeLeased(Tags.of(7)).subscribe(leases::add);
        Link.await(() -> leases.size() == 1, () -> "the first");
        Link.await(() -> connections.getFirst().statistics().leasedBuffers() == 1, () -> "its buffer is leased");
        assertThat(leases.getFirst().tag()).isEqualTo(7);
        leases.getFirst().release();
        Link.await(() -> connections.getFirst().statistics().leasedBuffers() == 0, () -> "its buffer is back");
        second.tryEmitEmpty();
        Link.await(() -> leases.size() == 2, () -> "the second");
        Link.await(() -> connections.getFirst().isDisposed(), () -> "the stream is complete, so nobody needs the connection");
        Mono.empty().subscribeOn(connections.getFirst().scheduler()).block(); // what follows the end on its loop has happened
        assertThat(leases.getLast().buffer().getLong()).as("outlives the connection").isZero();
        leases.getLast().release();
    }

    /** What comes at the moment of a cancel reaches nobody, and is given back. */
    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldGiveBackWhatNobodyGetsAfterACancel(BackendType backend) {
        NetioSubscriber subscriber = subscriber(backend, NetioPublisher.create().publishEach(Tags.range(7, 8),
                tag -> Flux.range(0, Integer.MAX_VALUE).map(Numbers::number)))
                .reconnect(Retry.fixedDelay(Long.MAX_VALUE, Duration.ofMillis(10)));
        Disposable keeper = subscriber.subscribeLeased(Tags.of(8)).subscribeWith(new BaseSubscriber<>() {
            @Override
            protected void hookOnSubscribe(Subscription subscription) {
                // asks for nothing, and keeps the connection open
            }
        });
        Link.await(() -> connections.size() == 1, () -> "the connection");
        AtomicLong received = new AtomicLong();
        for (int round = 0; round < 1_000; round++) {
            long before = received.get();
            Disposable receiving = subscriber.subscribeLeased(Tags.of(7)).subscribeWith(new BaseSubscriber<>() {
                @Override
                protected void hookOnSubscribe(Subscription subscription) {
                    request(100);
                }

                @Override
                protected void hookOnNext(Lease lease) {
                    received.incrementAndGet();
                    lease.release();
                    request(1);
                }
            });
            Link.await(() -> received.get() > before, () -> "a message");
            receiving.dispose();
        }
        Link.await(() -> connections.getFirst().statistics().leasedBuffers() == 0,
                () -> connections.getFirst().statistics().toString());
        assertThat(connections).hasSize(1);
        keeper.dispose();
    }
}
