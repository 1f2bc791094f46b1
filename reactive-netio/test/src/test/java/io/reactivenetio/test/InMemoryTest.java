// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.test;

import static io.reactivenetio.test.Messages.numbers;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivenetio.Framing;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.test.NetioTestPair.Side;
import io.reactivenetio.transport.exceptions.NetioAbortedException;
import io.reactivenetio.transport.exceptions.NetioConnectException;
import io.reactivenetio.transport.exceptions.NetioStreamException;
import io.reactivenetio.transport.exceptions.StreamError;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.test.StepVerifier;
import reactor.test.publisher.TestPublisher;

/** A pair without sockets and threads: what happens when, on its own time. */
@Timeout(60)
class InMemoryTest {

    @Test
    void shouldReceiveWithinTheCall() {
        try (NetioTestPair pair = NetioTestPair.inMemory()) {
            List<Integer> received = new ArrayList<>();
            List<Thread> threads = new ArrayList<>();
            pair.client().receive(ByteBuffer::getInt).doOnNext(n -> threads.add(Thread.currentThread()))
                    .subscribe(received::add);
            pair.server().send(numbers(1, 3)).block();
            assertThat(received).containsExactly(1, 2, 3);
            assertThat(threads).containsOnly(Thread.currentThread());
        }
    }

    @Test
    void shouldAskTheUpstreamForWhatTheVerifierAsksFor() {
        try (NetioTestPair pair = NetioTestPair.inMemory()) {
            TestPublisher<ByteBuffer> upstream = TestPublisher.create();
            AtomicLong asked = new AtomicLong();
            pair.server().send(upstream.flux().doOnRequest(asked::addAndGet)).subscribe(done -> { }, error -> { });
            StepVerifier.create(pair.client().receive(ByteBuffer::getInt), 0)
                    .then(() -> assertThat(asked).hasValue(0))
                    .thenRequest(2)
                    .then(() -> assertThat(asked.get()).isBetween(1L, 2L)) // one by one at first
                    .then(() -> upstream.next(ByteBuffer.allocate(4).putInt(0, 7)))
                    .expectNext(7)
                    .thenCancel().verify();
            upstream.assertCancelled();
        }
    }

    /** A posted receive is a credit, and there is no queue behind them. */
    @Test
    void shouldStopASenderWhosePeerHasNoCreditsLeft() {
        try (NetioTestPair pair = NetioTestPair.builder().inMemory().credits(Side.CLIENT, 4)
                .configure(server -> server.framing(Framing.raw()).sendBuffers(1024, 8), client -> client.framing(Framing.raw()))
                .open()) {
            AtomicLong emitted = new AtomicLong();
            Mono<Void> sending = pair.server().send(numbers(0, 1_000).doOnNext(n -> emitted.incrementAndGet()));
            AtomicReference<String> sent = new AtomicReference<>();
            sending.subscribe(nothing -> { }, error -> { }, () -> sent.set("all"));
            assertThat(emitted.get()).isBetween(4L, 30L);
            assertThat(pair.server().statistics().noResources()).isPositive();
            assertThat(pair.client().statistics().creditsInUse()).isEqualTo(4);
            StepVerifier.create(pair.client().receive(ByteBuffer::getInt).take(1_000)).expectNextCount(1_000).verifyComplete();
            assertThat(sent.get()).isEqualTo("all");
        }
    }

    @Test
    void shouldNoticeASilentPeerWhenKeepAliveIsOver() {
        try (NetioTestPair pair = NetioTestPair.builder().inMemory()
                .configure(server -> server.keepAlive(Duration.ofSeconds(15)), client -> client.keepAlive(Duration.ofMinutes(1)))
                .open()) {
            pair.advance(Duration.ofHours(1));
            assertThat(pair.client().isDisposed()).isFalse();
            AtomicReference<Throwable> failure = new AtomicReference<>();
            pair.client().receive().subscribe(message -> { }, failure::set);
            pair.hold();
            pair.advance(Duration.ofSeconds(12));
            assertThat(pair.server().isDisposed()).isFalse();
            pair.advance(Duration.ofSeconds(6));
            assertThat(pair.server().isDisposed()).isTrue();
            assertThat(pair.client().isDisposed()).isTrue(); // by the shorter of both times
            assertThat(failure.get()).isInstanceOf(NetioAbortedException.class).hasMessageContaining("said nothing");
        }
    }

    @Test
    void shouldGiveUpConnectingWhenItsTimeIsOver() {
        try (NetioTestPair pair = NetioTestPair.builder().inMemory()
                .configure(server -> server, client -> client.connectTimeout(Duration.ofSeconds(7))).open()) {
            pair.hold();
            AtomicReference<Throwable> failure = new AtomicReference<>();
            pair.newClient().connect().subscribe(NetioConnection::dispose, failure::set);
            pair.advance(Duration.ofMillis(6_999));
            assertThat(failure.get()).isNull();
            pair.advance(Duration.ofMillis(1));
            assertThat(failure.get()).isInstanceOf(NetioConnectException.class).hasMessageContaining("took longer than 7000 ms");
        }
    }

    @Test
    void shouldRefuseATagThatNobodyServesInTime() {
        try (NetioTestPair pair = NetioTestPair.inMemory()) {
            AtomicReference<Throwable> failure = new AtomicReference<>();
            pair.client().stream(9).receive().subscribe(message -> { }, failure::set);
            pair.advance(Duration.ofMillis(4_999));
            assertThat(failure.get()).isNull();
            pair.advance(Duration.ofMillis(1));
            assertThat(failure.get()).isInstanceOfSatisfying(NetioStreamException.class,
                    refused -> assertThat(refused.error()).isEqualTo(StreamError.NOT_SERVED));
        }
    }

    @Test
    void shouldTakeAsLongAsEachDirectionTakes() {
        try (NetioTestPair pair = NetioTestPair.inMemory()) {
            pair.delay(Side.SERVER, Duration.ofMillis(30));
            pair.delay(Side.CLIENT, Duration.ofMillis(5));
            List<String> log = new ArrayList<>();
            pair.client().receive(ByteBuffer::getInt).subscribe(n -> log.add("got " + n));
            pair.advance(Duration.ofMillis(5)); // the demand gets there
            pair.server().send(numbers(1, 1)).subscribe(nothing -> { }, error -> { }, () -> log.add("delivered"));
            pair.advance(Duration.ofNanos(29_999_999));
            assertThat(log).isEmpty();
            pair.advance(Duration.ofNanos(1));
            assertThat(log).containsExactly("got 1");
            pair.advance(Duration.ofNanos(4_999_999));
            assertThat(log).containsExactly("got 1");
            pair.advance(Duration.ofMillis(30));
            assertThat(log).containsExactly("got 1", "delivered");
        }
    }

    @Test
    void shouldHoldUpOneDirection() {
        try (NetioTestPair pair = NetioTestPair.inMemory()) {
            List<Integer> server = new ArrayList<>();
            List<Integer> client = new ArrayList<>();
            pair.server().receive(ByteBuffer::getInt).subscribe(server::add);
            pair.client().receive(ByteBuffer::getInt).subscribe(client::add);
            pair.hold(Side.SERVER);
            pair.hold(Side.SERVER);
            pair.server().send(numbers(1, 3)).subscribe();
            pair.client().send(numbers(1, 3)).subscribe();
            assertThat(server).containsExactly(1, 2, 3);
            assertThat(client).isEmpty();
            pair.resume();
            assertThat(client).containsExactly(1, 2, 3);
            pair.resume();
        }
    }

    @Test
    void shouldTellBothEndsWhenTheNetworkBreaks() {
        try (NetioTestPair pair = NetioTestPair.inMemory()) {
            AtomicReference<Throwable> server = new AtomicReference<>();
            AtomicReference<Throwable> client = new AtomicReference<>();
            pair.server().receive().subscribe(message -> { }, server::set);
            pair.client().receive().subscribe(message -> { }, client::set);
            pair.disconnect();
            assertThat(server.get()).isInstanceOf(NetioAbortedException.class).hasMessageContaining("broke");
            assertThat(client.get()).isInstanceOf(NetioAbortedException.class).hasMessageContaining("broke");
            NetioConnection next = pair.newClient().connectNow();
            pair.disconnect();
            assertThat(next.isDisposed()).isTrue();
        }
    }

    @Test
    void shouldTellOneEndAndLeaveTheOtherToItsKeepAlive() {
        try (NetioTestPair pair = NetioTestPair.inMemory()) {
            pair.disconnect(Side.SERVER);
            assertThat(pair.server().isDisposed()).isTrue();
            assertThat(pair.client().isDisposed()).isFalse();
            pair.advance(Duration.ofSeconds(30));
            assertThat(pair.client().isDisposed()).isTrue();
        }
    }

    @Test
    void shouldRunTheSameWayEachTime() {
        assertThat(log()).hasSizeGreaterThan(400).isEqualTo(log());
    }

    private static List<String> log() {
        List<String> log = new ArrayList<>();
        try (NetioTestPair pair = NetioTestPair.builder().inMemory().credits(Side.SERVER, 2).open()) {
            pair.delay(Side.SERVER, Duration.ofMillis(3));
            pair.server().receive(ByteBuffer::getInt).limitRate(7).subscribe(n -> log.add("server " + n));
            pair.client().receive(ByteBuffer::getInt).limitRate(3).subscribe(n -> log.add("client " + n));
            pair.client().send(numbers(0, 200)).subscribe(nothing -> { }, error -> { }, () -> log.add("client sent"));
            pair.server().send(numbers(0, 200)
                    .delayElements(Duration.ofMillis(1), pair.server().scheduler())).subscribe();
            pair.advance(Duration.ofSeconds(2));
        }
        return log;
    }

    @Test
    void shouldHaveTheConnectionsSchedulerOnItsTime() {
        try (NetioTestPair pair = NetioTestPair.inMemory()) {
            List<Long> ticks = new ArrayList<>();
            Flux.interval(Duration.ofSeconds(1), pair.client().scheduler()).take(3).subscribe(ticks::add);
            pair.advance(Duration.ofMinutes(1));
            assertThat(ticks).containsExactly(0L, 1L, 2L);
        }
    }

    @Test
    void shouldRefuseToBlockOrToMoveTimeOnALoop() {
        try (NetioTestPair pair = NetioTestPair.inMemory()) {
            List<Throwable> refused = new ArrayList<>();
            pair.client().scheduler().schedule(() -> {
                assertThat(EventLoop.isLoopThread(Thread.currentThread())).isTrue();
                for (Runnable wrong : List.<Runnable>of(() -> Mono.never().block(), () -> pair.advance(Duration.ZERO),
                        pair::close)) {
                    try {
                        wrong.run();
                    } catch (IllegalStateException e) {
                        refused.add(e);
                    }
                }
                pair.disconnect(); // which may be done anywhere
            });
            assertThat(refused).hasSize(3);
            assertThat(pair.client().isDisposed()).isTrue();
        }
        assertThat(EventLoop.isLoopThread(Thread.currentThread())).isFalse();
    }

    @Test
    void shouldNotGoOnForEverAtOneMoment() {
        List<Throwable> errors = new ArrayList<>();
        VirtualTime time = new VirtualTime(errors::add);
        EventLoop loop = time.newLoop("endless");
        Runnable[] again = new Runnable[1];
        again[0] = () -> loop.atEndOfTurn(() -> loop.execute(again[0]));
        assertThatThrownBy(() -> loop.execute(again[0])).hasMessageContaining("while no time passed");
        assertThat(errors).hasSize(1);
        again[0] = () -> { };
        loop.close();
        assertThat(loop.isTerminated()).isTrue();
    }

    /** It is entered again while it wakes its subscriptions: they take what there is and leave, at once. */
    @Test
    void shouldPublishToSubscribersThatLeaveMeanwhile() {
        Sinks.Many<ByteBuffer> source = Sinks.many().multicast().directBestEffort();
        var publisher = io.reactivenetio.pubsub.NetioPublisher.create().publish(7, source.asFlux());
        try (NetioTestPair pair = NetioTestPair.builder().inMemory().publisher(publisher).open()) {
            List<Integer> sizes = new ArrayList<>();
            for (int i = 1; i <= 50; i++) {
                pair.subscriber().subscribe(7).take(i % 5 + 1).collectList().subscribe(all -> sizes.add(all.size()));
            }
            for (int i = 0; i < 5; i++) {
                assertThat(source.tryEmitNext(ByteBuffer.allocate(8)).isSuccess()).isTrue();
                assertThat(sizes).hasSize(10 * (i + 1)).endsWith(i + 1);
            }
            assertThat(publisher.statistics().subscribers()).isZero();
        } finally {
            publisher.dispose();
        }
    }
}
