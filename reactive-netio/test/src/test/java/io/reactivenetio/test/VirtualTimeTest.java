// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.test;

import static io.reactivenetio.test.Messages.numbers;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.api.SlowPolicy;
import io.reactivenetio.api.TaggedMessage;
import io.reactivenetio.pubsub.NetioPublisher;
import io.reactivenetio.pubsub.NetioSubscriber;
import io.reactivenetio.transport.exceptions.NetioAbortedException;
import io.reactivenetio.transport.exceptions.NetioConnectException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;
import reactor.test.scheduler.VirtualTimeScheduler;
import reactor.util.retry.Retry;

/** A pair in memory together with Reactor's virtual time. */
@Timeout(60)
class VirtualTimeTest {

    @AfterEach
    void reset() {
        VirtualTimeScheduler.reset();
    }

    /** A source of one message a second, and a network that is gone for ten minutes. */
    @Test
    void shouldReconnectThroughTenMinutesWithoutANetwork() {
        AtomicInteger attempts = new AtomicInteger();
        List<Long> missed = new ArrayList<>();
        NetioPublisher publisher = NetioPublisher.create(SlowPolicy.DROP_OLDEST, 16).publish(7, Flux.defer(() ->
                Flux.interval(Duration.ofSeconds(1)).onBackpressureDrop().map(n -> ByteBuffer.allocate(8).putLong(0, n))));
        long began = System.nanoTime();
        try (NetioTestPair pair = NetioTestPair.builder().inMemory().publisher(publisher).configure(server -> server,
                client -> client.doOnConnect(to -> attempts.incrementAndGet())).open()) {
            StepVerifier.withVirtualTime(() -> pair.subscriber()
                            .reconnect(Retry.backoff(Long.MAX_VALUE, Duration.ofMillis(100)).maxBackoff(Duration.ofSeconds(5)))
                            .doOnMissed(event -> missed.add(event.messages()))
                            .subscribe(7).map(message -> message.payload().getLong()))
                    .thenAwait(Duration.ofMillis(2_500)).expectNext(0L, 1L)
                    .then(pair::disconnect)
                    .then(pair::hold)
                    .thenAwait(Duration.ofMinutes(10))
                    .then(pair::resume)
                    .thenAwait(Duration.ofSeconds(10))
                    .consumeNextWith(n -> assertThat(n).isBetween(602L, 613L))
                    .thenCancel().verify(Duration.ofSeconds(50));
        } finally {
            publisher.dispose();
        }
        assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(20));
        assertThat(attempts.get()).isBetween(50, 200);
        assertThat(missed).hasSize(1).allSatisfy(n -> assertThat(n).isBetween(600L, 611L));
    }

    @Test
    void shouldFollowVirtualTimeThatBeginsAfterThePair() {
        try (NetioTestPair pair = NetioTestPair.inMemory()) {
            pair.advance(Duration.ofSeconds(3));
            for (int i = 0; i < 3; i++) { // each time another one
                StepVerifier.withVirtualTime(() -> pair.newClient().connect().flatMapMany(connection ->
                                connection.stream(9).receive().doFinally(signal -> connection.dispose())))
                        .expectSubscription()
                        .expectNoEvent(Duration.ofMillis(4_999))
                        .thenAwait(Duration.ofMillis(1))
                        .expectErrorMatches(error -> error.getMessage().contains("nobody serves tag 9"))
                        .verify(Duration.ofSeconds(10));
            }
            assertThat(pair.client().isDisposed()).isFalse();
        }
    }

    @Test
    void shouldRunTimeoutsAndBackOffsOfAPipeline() {
        try (NetioTestPair pair = NetioTestPair.inMemory()) {
            pair.hold();
            List<Long> tries = new ArrayList<>();
            StepVerifier.withVirtualTime(() -> Mono.defer(() -> {
                tries.add(VirtualTimeScheduler.get().now(java.util.concurrent.TimeUnit.SECONDS));
                return pair.newClient().connect();
            }).retryWhen(Retry.fixedDelay(3, Duration.ofSeconds(10))))
                    .thenAwait(Duration.ofMinutes(1))
                    .expectErrorMatches(error -> error.getCause() instanceof NetioConnectException)
                    .verify(Duration.ofSeconds(10));
            assertThat(tries).containsExactly(0L, 15L, 30L, 45L);
        }
    }

    @Test
    void shouldTimeOutAReceiver() {
        try (NetioTestPair pair = NetioTestPair.inMemory()) {
            StepVerifier.withVirtualTime(() -> {
                pair.server().send(numbers(0, 3).delayElements(Duration.ofSeconds(1)).concatWith(Flux.never())).subscribe();
                return pair.client().receive(ByteBuffer::getInt).timeout(Duration.ofMinutes(2));
            })
                    .thenAwait(Duration.ofSeconds(3)).expectNext(0, 1, 2)
                    .thenAwait(Duration.ofMinutes(2))
                    .expectError(TimeoutException.class).verify(Duration.ofSeconds(10));
        }
    }

    @Test
    void shouldMoveReactorsTimeWithItsOwn() {
        VirtualTimeScheduler.getOrSet();
        try (NetioTestPair pair = NetioTestPair.inMemory()) {
            List<Integer> received = new ArrayList<>();
            pair.client().receive(ByteBuffer::getInt).publishOn(Schedulers.parallel()).subscribe(received::add);
            pair.server().send(numbers(0, 100).delayElements(Duration.ofSeconds(1))).subscribe();
            pair.advance(Duration.ofSeconds(10));
            assertThat(received).hasSize(10);
            VirtualTimeScheduler.get().advanceTimeBy(Duration.ofSeconds(10));
            assertThat(received).hasSize(20);
            pair.delay(NetioTestPair.Side.SERVER, Duration.ofSeconds(5));
            pair.advance(Duration.ofSeconds(5));
            assertThat(received).hasSize(20);
            pair.advance(Duration.ofSeconds(1));
            assertThat(received).hasSize(21);
        }
    }

    /** Its time goes on where Reactor's has ended, or has been set anew. */
    @Test
    void shouldNotGoBackInTime() {
        try (NetioTestPair pair = NetioTestPair.inMemory()) {
            List<Long> ticks = new ArrayList<>();
            Flux.interval(Duration.ofSeconds(1), pair.client().scheduler()).take(40).subscribe(ticks::add);
            for (int i = 1; i <= 4; i++) {
                VirtualTimeScheduler.set(VirtualTimeScheduler.create(i % 2 == 0));
                pair.advance(Duration.ofSeconds(5));
                assertThat(ticks).hasSize(10 * i - 5);
                VirtualTimeScheduler.reset();
                pair.advance(Duration.ofSeconds(5));
                assertThat(ticks).hasSize(10 * i);
            }
        }
    }

    @Test
    void shouldEndAHeldUpConnectionByKeepAlive() {
        try (NetioTestPair pair = NetioTestPair.inMemory()) {
            StepVerifier.withVirtualTime(() -> pair.client().receive())
                    .expectSubscription()
                    .expectNoEvent(Duration.ofHours(1))
                    .then(pair::hold)
                    .thenAwait(Duration.ofSeconds(20))
                    .expectError(NetioAbortedException.class).verify(Duration.ofSeconds(20));
        }
    }

    @Test
    void shouldKnowWhichFailuresMayPass() {
        try (NetioTestPair pair = NetioTestPair.builder().inMemory().publisher(NetioPublisher.create()).open()) {
            StepVerifier.withVirtualTime(() -> pair.subscriber().reconnect(Retry.fixedDelay(2, Duration.ofSeconds(1)))
                            .subscribe(1).map(TaggedMessage::payload))
                    .thenAwait(Duration.ofSeconds(2))
                    .expectErrorMatches(error -> NetioSubscriber.isTransient(error.getCause())).verify(Duration.ofSeconds(10));
        }
    }
}
