// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.test;

import static io.reactivenetio.test.Messages.numbers;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivenetio.Framing;
import io.reactivenetio.NetioRegion;
import io.reactivenetio.api.EndSignal;
import io.reactivenetio.api.Lease;
import io.reactivenetio.api.LeasePolicy;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.api.RegionSlice;
import io.reactivenetio.api.TaggedMessage;
import io.reactivenetio.test.NetioTestPair.Builder;
import io.reactivenetio.test.NetioTestPair.Side;
import io.reactivenetio.testing.Eventually;
import io.reactivenetio.transport.exceptions.MessageTooLargeException;
import io.reactivenetio.transport.exceptions.NetioException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Pairs in memory with everything that the library can do, by many threads, and against the grain. */
@Timeout(120)
class OddUsesTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int MANY = 4_000;

    private static Builder raw() {
        return NetioTestPair.builder().inMemory().configure(
                server -> server.framing(Framing.raw().endSignal(EndSignal.PEER_CLOSE)),
                client -> client.framing(Framing.raw().endSignal(EndSignal.PEER_CLOSE)));
    }

    @Test
    void shouldSendWithoutCopying() {
        try (NetioRegion region = NetioRegion.allocate(1 << 16)) {
            Framing.Raw framing = Framing.raw().endSignal(EndSignal.PEER_CLOSE).region(region, 4096, 4);
            try (NetioTestPair pair = raw().configure(server -> server.framing(framing), client -> client).open()) {
                AtomicInteger reusable = new AtomicInteger();
                Flux<RegionSlice> slices = Flux.range(0, 100).map(n -> {
                    RegionSlice slice = region.slice(n % 16 * 4096L, 4096).onReusable(again -> reusable.incrementAndGet());
                    slice.header(ByteBuffer.allocate(4).putInt(0, n));
                    slice.buffer().clear().putInt(n).flip();
                    return slice;
                });
                AtomicReference<String> done = new AtomicReference<>();
                pair.server().sendRegion(slices).subscribe(nothing -> { }, error -> done.set(error.toString()),
                        () -> done.set("all"));
                List<Long> received = new ArrayList<>();
                pair.client().receive(ByteBuffer::getLong).subscribe(received::add);
                assertThat(done.get()).isEqualTo("all");
                assertThat(received).hasSize(100).startsWith(0L, (1L << 32) + 1).endsWith((99L << 32) + 99);
                assertThat(reusable).hasValue(100);
            }
        }
    }

    @Test
    void shouldPackPages() {
        try (NetioTestPair pair = NetioTestPair.builder().inMemory().configure(
                server -> server.framing(Framing.page().flushInterval(Duration.ofSeconds(1))),
                client -> client.framing(Framing.page())).open()) {
            List<Long> tags = new ArrayList<>();
            pair.client().receiveTagged((tag, status, payload) -> tag).subscribe(tags::add);
            pair.server().sendTagged(Flux.range(0, 10).map(n -> TaggedMessage.of(n, ByteBuffer.allocate(n)))
                    .concatWith(Flux.never())).subscribe(nothing -> { }, error -> { });
            pair.advance(Duration.ofMillis(999));
            assertThat(tags).isEmpty();
            pair.advance(Duration.ofMillis(1));
            assertThat(tags).hasSize(10);
        }
    }

    @Test
    void shouldShareBuffers() {
        AtomicInteger received = new AtomicInteger();
        try (NetioTestPair pair = NetioTestPair.builder().inMemory().configure(
                server -> server.framing(Framing.raw().sharedReceiveBuffers(1024, 16).sharedSendBuffers(1024, 16))
                        .handle((in, out) -> in.receive().doOnNext(message -> received.incrementAndGet()).then()),
                client -> client.framing(Framing.raw())).open()) {
            List<NetioConnection> more = Flux.range(0, 20).flatMap(n -> pair.newClient().connect()).collectList().block();
            List<Mono<Void>> sends = new ArrayList<>();
            more.forEach(each -> sends.add(each.send(numbers(0, 50))));
            Mono.when(sends).subscribe(nothing -> { }, error -> { });
            assertThat(received).hasValue(20 * 50);
            more.forEach(NetioConnection::dispose);
        }
    }

    @Test
    void shouldCloseAConnectionWhoseMessagesDoNotFit() {
        try (NetioTestPair pair = raw().configure(server -> server.receiveBuffers(100, 4), client -> client).open()) {
            AtomicReference<Throwable> failure = new AtomicReference<>();
            pair.server().receive().subscribe(message -> { }, failure::set);
            pair.client().send(Flux.just(ByteBuffer.allocate(101))).subscribe(nothing -> { }, error -> { });
            assertThat(failure.get()).isInstanceOf(MessageTooLargeException.class).hasMessageContaining("101");
        }
    }

    @Test
    void shouldAskAndAnswerAndTimeOut() {
        try (NetioTestPair pair = NetioTestPair.inMemory()) {
            pair.server().respond(7, request -> Mono.just(request).delayElement(Duration.ofSeconds(1), pair.server().scheduler()))
                    .subscribe(nothing -> { }, error -> { });
            List<Object> answers = new ArrayList<>();
            var requester = pair.client().requester(7);
            requester.request(ByteBuffer.allocate(8)).subscribe(answers::add);
            requester.request(ByteBuffer.allocate(8)).timeout(Duration.ofMillis(500), pair.client().scheduler())
                    .subscribe(answers::add, answers::add);
            pair.advance(Duration.ofMillis(999));
            assertThat(answers).hasSize(1);
            pair.advance(Duration.ofMillis(1));
            assertThat(answers).hasSize(2);
        }
    }

    @Test
    void shouldLeaseAndWaitForLeases() {
        try (NetioTestPair pair = NetioTestPair.builder().inMemory().credits(Side.CLIENT, 4).configure(
                server -> server.framing(Framing.raw()), client -> client.framing(Framing.raw()).leasePolicy(LeasePolicy.WAIT))
                .open()) {
            List<Lease> leases = new ArrayList<>();
            pair.client().receiveLeased().subscribe(leases::add);
            pair.server().send(numbers(0, 100)).subscribe(nothing -> { }, error -> { });
            assertThat(leases).hasSize(3);
            int released = 0;
            while (released < leases.size()) {
                leases.get(released++).release();
            }
            assertThat(leases).hasSize(100);
        }
    }

    @Test
    void shouldSubscribeAgainAndAgain() {
        try (NetioTestPair pair = NetioTestPair.inMemory()) {
            AtomicInteger sent = new AtomicInteger();
            pair.server().stream(5).send(Flux.generate(sink -> sink.next(ByteBuffer.allocate(4).putInt(0,
                    sent.getAndIncrement())))).onErrorResume(NetioException.class, cancelled -> Mono.empty())
                    .repeat(() -> !pair.server().isDisposed())
                    .subscribe(nothing -> { }, error -> { });
            AtomicInteger received = new AtomicInteger();
            pair.client().stream(5).receive().take(1).repeat(MANY - 1).subscribe(message -> received.incrementAndGet());
            assertThat(received).hasValue(MANY);
        }
    }

    @Test
    void shouldHaveManyConnectionsAndStreams() {
        try (NetioTestPair pair = NetioTestPair.builder().inMemory().configure(
                server -> server.receiveBuffers(1024, 2).sendBuffers(1024, 2).doOnConnection(connection -> connection
                        .send(numbers(0, 3)).then(connection.completeOutbound()).subscribe(nothing -> { }, error -> { })),
                client -> client.receiveBuffers(1024, 2).sendBuffers(1024, 2)).open()) {
            List<NetioConnection> all = Flux.range(0, MANY).flatMap(n -> pair.newClient().connect(), MANY).collectList()
                    .block(PATIENCE);
            AtomicInteger received = new AtomicInteger();
            all.forEach(each -> each.receive().subscribe(message -> received.incrementAndGet()));
            assertThat(received).hasValue(3 * MANY);
            all.forEach(NetioConnection::dispose);
            for (int tag = 1; tag <= MANY; tag++) {
                pair.client().stream(tag).receive().subscribe(message -> received.decrementAndGet(), error -> { });
                pair.server().stream(tag).send(numbers(0, 3)).subscribe(nothing -> { }, error -> { });
            }
            assertThat(received).hasValue(0);
        }
    }

    @Test
    void shouldBreakWithinACallback() {
        List<UnaryOperator<NetioTestPair>> ways = List.of(pair -> {
            pair.disconnect();
            return pair;
        }, pair -> {
            pair.disconnect(Side.SERVER);
            return pair;
        }, pair -> {
            pair.hold();
            pair.resume();
            return pair;
        }, pair -> {
            pair.newClient().connect().subscribe(NetioConnection::dispose);
            return pair;
        }, pair -> {
            pair.client().dispose();
            pair.server().dispose();
            return pair;
        });
        for (UnaryOperator<NetioTestPair> way : ways) {
            for (int at = 0; at < 5; at++) {
                try (NetioTestPair pair = NetioTestPair.inMemory()) {
                    int when = at;
                    AtomicInteger received = new AtomicInteger();
                    pair.client().receive(ByteBuffer::getInt).subscribe(n -> {
                        received.incrementAndGet();
                        if (n == when) {
                            way.apply(pair);
                        }
                    }, error -> { });
                    pair.server().send(numbers(0, 10)).subscribe(nothing -> { }, error -> { });
                    assertThat(received.get()).isBetween(at + 1, 10);
                }
            }
        }
    }

    /** Each of them may drive the loops, and none waits for another that does. */
    @Test
    void shouldBeUsedByManyThreads() throws Exception {
        try (NetioTestPair pair = NetioTestPair.inMemory()) {
            int threads = 8;
            int each = 500;
            CyclicBarrier begin = new CyclicBarrier(threads);
            ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();
            CountDownLatch received = new CountDownLatch(threads * each);
            List<Thread> all = new ArrayList<>();
            for (int i = 1; i <= threads; i++) {
                long tag = i;
                pair.client().stream(tag).receive().publishOn(Schedulers.parallel()).subscribe(message -> received.countDown(),
                        failures::add);
                all.add(Thread.ofPlatform().start(() -> {
                    try {
                        begin.await();
                        for (int n = 0; n < each / 10; n++) {
                            pair.server().stream(tag).send(numbers(0, 10)).block(PATIENCE);
                        }
                    } catch (Throwable t) {
                        failures.add(t);
                    }
                }));
            }
            for (Thread thread : all) {
                thread.join();
            }
            assertThat(failures).isEmpty();
            assertThat(received.await(30, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void shouldTakeLeasesBackFromOtherThreads() throws Exception {
        ConcurrentLinkedQueue<Lease> late = new ConcurrentLinkedQueue<>();
        NetioTestPair pair = NetioTestPair.builder().inMemory().closeTimeout(Duration.ofMillis(50)).open();
        pair.client().receiveLeased().publishOn(Lease.scheduler(Schedulers.parallel())).subscribe(late::add);
        pair.server().send(numbers(0, 200)).block(PATIENCE);
        Eventually.within(PATIENCE, () -> late.size() >= 200);
        assertThat(late).hasSize(200);
        List<CompletableFuture<Void>> releasing = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            releasing.add(CompletableFuture.runAsync(() -> {
                for (int n = 0; n < 25; n++) {
                    late.remove().release();
                }
            }));
        }
        CompletableFuture.allOf(releasing.toArray(CompletableFuture[]::new)).join();
        assertThatThrownBy(pair::close).hasMessageContaining("leases that nobody has given back");
        late.forEach(Lease::release); // its loops have ended
    }

    @Test
    void shouldWaitForLeasesThatAreOnTheirWayBack() {
        try (NetioTestPair pair = NetioTestPair.inMemory()) {
            pair.client().receiveLeased().subscribe(lease ->
                    CompletableFuture.delayedExecutor(200, TimeUnit.MILLISECONDS).execute(lease::release));
            pair.server().send(numbers(0, 3)).block(PATIENCE);
        }
    }

    @Test
    void shouldSayWhatIsOverAfterItsEnd() throws Exception {
        NetioTestPair pair = NetioTestPair.inMemory();
        List<Thread> closing = new ArrayList<>();
        ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();
        for (int i = 0; i < 4; i++) {
            Thread thread = new Thread(pair::close);
            thread.setUncaughtExceptionHandler((which, error) -> failures.add(error));
            thread.start();
            closing.add(thread);
        }
        for (Thread thread : closing) {
            thread.join();
        }
        assertThat(failures).isEmpty();
        assertThatThrownBy(() -> pair.client().send(numbers(0, 1)).block(PATIENCE)).isInstanceOf(RuntimeException.class);
        assertThatThrownBy(() -> pair.client().receive().blockLast(PATIENCE)).isInstanceOf(RuntimeException.class);
        assertThatThrownBy(() -> pair.newClient().connectNow()).isInstanceOf(IllegalStateException.class);
        pair.disconnect();
        pair.hold();
        pair.resume();
        pair.advance(Duration.ofHours(1));
    }

    @Test
    void shouldRefuseWhatMakesNoSense() {
        NetioTestPair.Builder plan = NetioTestPair.builder().inMemory();
        try (NetioTestPair pair = plan.open()) {
            assertThatThrownBy(() -> pair.advance(Duration.ofDays(365 * 300))).isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("292 years");
            pair.advance(Duration.ofDays(1));
            assertThat(pair.client().isDisposed()).isFalse();
        }
        assertThatThrownBy(() -> plan.configure(server -> null, client -> client).open())
                .isInstanceOf(NullPointerException.class).hasMessageContaining("the function for the server");
        assertThatThrownBy(() -> plan.configure(server -> server, client -> null).open())
                .isInstanceOf(NullPointerException.class).hasMessageContaining("the function for the client");
    }

    @Test
    void shouldNotDependOnWhoEndsFirst() {
        for (int i = 0; i < 3; i++) {
            NetioTestPair pair = NetioTestPair.builder().inMemory().configure(
                    server -> server.handle((in, out) -> Mono.empty()), client -> client).open();
            assertThat(pair.client().isDisposed()).isTrue();
            assertThat(pair.server().isDisposed()).isTrue();
            pair.close();
        }
    }
}
