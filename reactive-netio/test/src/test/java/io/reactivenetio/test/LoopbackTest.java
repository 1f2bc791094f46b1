// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.test;

import static io.reactivenetio.test.Messages.numbers;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.pubsub.NetioPublisher;
import io.reactivenetio.test.NetioTestPair.Side;
import io.reactivenetio.transport.exceptions.NetioAbortedException;
import io.reactivenetio.transport.exceptions.NetioConnectException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

/** A pair over plain TCP, directly and with a relay in between. */
@Timeout(120)
class LoopbackTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @Test
    void shouldConnectBothEnds() {
        try (NetioTestPair pair = NetioTestPair.loopback()) {
            StepVerifier.create(pair.client().receive(ByteBuffer::getInt), 0)
                    .then(() -> pair.server().send(numbers(1, 1_000)).then(pair.server().completeOutbound())
                            .subscribe(nothing -> { }, error -> { }))
                    .thenRequest(2).expectNext(1, 2)
                    .thenRequest(Long.MAX_VALUE).expectNextCount(998)
                    .expectComplete().verify(PATIENCE);
        }
    }

    @Test
    void shouldConfigureBothSides() {
        Queue<String> told = new ConcurrentLinkedQueue<>();
        try (NetioTestPair pair = NetioTestPair.builder().credits(Side.SERVER, 3).credits(Side.CLIENT, 5)
                .configure(server -> server.doOnConnection(connection -> told.add("server")),
                        client -> client.doOnConnected(connection -> told.add("client")))
                .configure(server -> server, client -> client.receiveBuffers(4096, 7))
                .open()) {
            assertThat(told).containsExactlyInAnyOrder("server", "client");
            assertThat(pair.server().statistics().credits()).isEqualTo(3);
            assertThat(pair.client().statistics().credits()).isEqualTo(7);
        }
    }

    @Test
    void shouldServeAPublisher() {
        NetioPublisher publisher = NetioPublisher.create().publish(7, Flux.range(0, 100)
                .map(n -> ByteBuffer.allocate(4).putInt(0, n)));
        try (NetioTestPair pair = NetioTestPair.builder().publisher(publisher).open()) {
            StepVerifier.create(pair.subscriber().subscribe(7)).expectNextCount(100).expectComplete().verify(PATIENCE);
        } finally {
            publisher.dispose();
        }
        try (NetioTestPair pair = NetioTestPair.loopback()) {
            assertThatThrownBy(pair::subscriber).isInstanceOf(IllegalStateException.class).hasMessageContaining("publisher(");
        }
    }

    @Test
    void shouldSayWhatItCannotDo() {
        try (NetioTestPair pair = NetioTestPair.loopback()) {
            assertThatThrownBy(pair::disconnect).isInstanceOf(UnsupportedOperationException.class)
                    .hasMessageContaining("faults()");
            assertThatThrownBy(pair::hold).isInstanceOf(UnsupportedOperationException.class).hasMessageContaining("faults()");
            assertThatThrownBy(() -> pair.advance(Duration.ZERO)).isInstanceOf(UnsupportedOperationException.class)
                    .hasMessageContaining("inMemory()");
            assertThatThrownBy(() -> pair.delay(Side.CLIENT, Duration.ZERO)).isInstanceOf(UnsupportedOperationException.class)
                    .hasMessageContaining("inMemory()");
            assertThatThrownBy(() -> NetioTestPair.builder().credits(Side.CLIENT, 0))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void shouldRefuseToCloseOnALoop() throws InterruptedException {
        try (NetioTestPair pair = NetioTestPair.loopback()) {
            Queue<Throwable> thrown = new ConcurrentLinkedQueue<>();
            CountDownLatch done = new CountDownLatch(1);
            Runnable close = pair::close;
            pair.client().scheduler().schedule(() -> {
                try {
                    close.run();
                } catch (IllegalStateException e) {
                    thrown.add(e);
                }
                done.countDown();
            });
            assertThat(done.await(30, TimeUnit.SECONDS)).isTrue();
            assertThat(thrown).hasSize(1);
            assertThat(pair.client().isDisposed()).isFalse();
        }
    }

    private static NetioTestPair faulty() {
        return NetioTestPair.builder().loopback().faults().open();
    }

    @Test
    void shouldTellBothEndsWhenTheNetworkBreaks() {
        try (NetioTestPair pair = faulty()) {
            StepVerifier.create(pair.client().receive()).then(pair::disconnect).expectError(NetioAbortedException.class)
                    .verify(PATIENCE);
            pair.server().onDispose().block(PATIENCE);
            NetioConnection next = pair.newClient().connectNow();
            assertThat(next.isDisposed()).isFalse();
            pair.disconnect();
            next.onDispose().block(PATIENCE);
        }
    }

    @Test
    void shouldTellOneEndAndLeaveTheOtherToItsKeepAlive() {
        try (NetioTestPair pair = NetioTestPair.builder().loopback().faults().configure(
                server -> server.keepAlive(Duration.ofSeconds(2)), client -> client.keepAlive(Duration.ofSeconds(2))).open()) {
            Mono<Boolean> open = pair.client().onDispose().then(Mono.fromSupplier(() -> !pair.server().isDisposed()));
            pair.disconnect(Side.CLIENT);
            assertThat(open.block(PATIENCE)).isTrue();
            pair.server().onDispose().block(PATIENCE);
        }
    }

    @Test
    void shouldHoldUpAndGoOn() {
        try (NetioTestPair pair = faulty()) {
            pair.hold(Side.SERVER);
            StepVerifier.create(pair.client().receive(ByteBuffer::getInt))
                    .expectSubscription()
                    .then(() -> pair.server().send(numbers(0, 5)).subscribe(nothing -> { }, error -> { }))
                    .expectNoEvent(Duration.ofMillis(300))
                    .then(pair::resume)
                    .expectNext(0, 1, 2, 3, 4).thenCancel().verify(PATIENCE);
            pair.hold();
            assertThatThrownBy(() -> pair.newClient().connectTimeout(Duration.ofMillis(500)).connectNow())
                    .isInstanceOf(NetioConnectException.class);
            pair.resume();
            pair.newClient().connectNow().dispose();
        }
    }

    @Test
    void shouldRelayMuchInBothDirections() {
        try (NetioTestPair pair = faulty()) {
            int size = 1_000_000;
            Flux<ByteBuffer> large = Flux.range(0, 30).map(n -> ByteBuffer.allocate(size).putInt(0, n));
            var received = Flux.zip(pair.client().receive(ByteBuffer::remaining), pair.server().receive(ByteBuffer::remaining))
                    .take(30).collectList().toFuture();
            pair.server().send(large).and(pair.client().send(large)).block(PATIENCE);
            assertThat(received.join()).hasSize(30).allMatch(both -> both.getT1() == size && both.getT2() == size);
        }
    }

    @Test
    void shouldCloseWhileItIsHeldUpOrBroken() {
        for (int i = 0; i < 20; i++) {
            NetioTestPair pair = faulty();
            pair.client().receive().subscribe(message -> { }, error -> { });
            pair.server().send(Flux.<ByteBuffer>generate(sink -> sink.next(ByteBuffer.allocate(100)))).subscribe(nothing -> { },
                    error -> { });
            List<Runnable> ways = List.of(pair::hold, pair::disconnect, () -> pair.hold(Side.CLIENT),
                    () -> pair.disconnect(Side.SERVER));
            ways.get(i % ways.size()).run();
            pair.close();
            pair.close();
        }
    }
}
