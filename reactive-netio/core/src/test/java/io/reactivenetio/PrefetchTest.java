// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import static io.reactivenetio.testing.TestSettings.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivenetio.api.Lease;
import io.reactivenetio.api.LeasePolicy;
import io.reactivenetio.api.NetioInbound;
import io.reactivenetio.api.NetioRequester;
import io.reactivenetio.transport.BackendType;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

/** Streams that ask the peer ahead of their subscribers. */
@Timeout(120)
class PrefetchTest extends TwoEnds {
    private static final int PAGE = 1024;
    private static final int PAGES = 4;

    private void connect(BackendType backend, UnaryOperator<NetioClient> options) {
        connect(backend, PAGE, PAGES, options);
    }

    private void connect(UnaryOperator<NetioClient> options) {
        connect(BackendType.TCP, options);
    }

    /** What a test asks for, and no more. */
    private static final class Numbers extends BaseSubscriber<Integer> {
        final ConcurrentLinkedQueue<Integer> arrived = new ConcurrentLinkedQueue<>();
        private final int first;

        /** Asks for so many by itself. */
        Numbers(int first) {
            this.first = first;
        }

        Numbers() {
            this(0);
        }

        @Override
        protected void hookOnSubscribe(Subscription subscription) {
            if (first > 0) {
                request(first);
            }
        }

        @Override
        protected void hookOnNext(Integer value) {
            arrived.add(value);
        }
    }

    private static ByteBuffer message(int number, int size) {
        return ByteBuffer.allocate(size).putInt(0, number);
    }

    private AtomicLong send(long tag, int count, int size) {
        AtomicLong requested = new AtomicLong();
        Flux<ByteBuffer> source = Flux.range(0, count).map(number -> message(number, size))
                .doOnRequest(n -> requested.accumulateAndGet(n, (a, b) -> a + b < 0 ? Long.MAX_VALUE : a + b));
        server.stream(tag).send(source).then(server.stream(tag).completeOutbound()).subscribe(nothing -> { }, error -> { });
        return requested;
    }

    private static Flux<Integer> numbers(NetioInbound from) {
        return from.receive().map(buffer -> buffer.getInt(0));
    }

    private static List<Integer> upTo(int count) {
        return IntStream.range(0, count).boxed().toList();
    }

    private void awaitWaiting(int messages) {
        Link.await(() -> client.statistics().creditsInUse() == messages, () -> client.statistics().toString());
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldAskForMessagesAheadOfTheSubscriber(BackendType backend) {
        connect(backend, UnaryOperator.identity());
        AtomicLong sent = new AtomicLong();
        server.stream(1).send(Flux.range(0, 1_000).map(number -> message(number, 100)).doOnNext(m -> sent.incrementAndGet()))
                .subscribe(nothing -> { }, error -> { });
        Numbers subscriber = new Numbers();
        numbers(client.stream(1).prefetch(100)).subscribe(subscriber);
        awaitWaiting(100);
        assertThat(subscriber.arrived).isEmpty();
        assertThat(sent.get()).as("asked for").isBetween(100L, 200L); // the sender's library takes some ahead
        subscriber.request(30);
        Link.await(() -> subscriber.arrived.size() == 30 && client.statistics().creditsInUse() == 100,
                () -> subscriber.arrived.size() + " arrived, " + client.statistics());
        assertThat(subscriber.arrived).containsExactlyElementsOf(upTo(30));
    }

    /** Those that take ten times as long as a page to be taken. */
    @ParameterizedTest
    @ValueSource(ints = {4, 100, 900, 5_000})
    void shouldHoldUpNoOtherStream(int size) {
        connect(UnaryOperator.identity());
        send(1, 500, size);
        Numbers stalled = new Numbers();
        numbers(client.stream(1).prefetch(1_000)).subscribe(stalled);
        awaitWaiting(500);
        send(2, 300, size);
        StepVerifier.create(numbers(client.stream(2)).collectList()).expectNext(upTo(300)).expectComplete().verify(PATIENCE);
        stalled.requestUnbounded();
        Link.await(() -> stalled.arrived.size() == 500, () -> stalled.arrived.size() + " of 500");
        assertThat(stalled.arrived).containsExactlyElementsOf(upTo(500));
        awaitWaiting(0);
        assertThat(client.statistics().discardedMessages()).isZero();
    }

    /** Each may have a message wait, whatever its size, and there are more of them than pages. */
    @Test
    void shouldHoldUpNoOtherStreamWhenAllHaveReachedTheirLimit() {
        connect(UnaryOperator.identity());
        for (int tag = 1; tag <= 2 * PAGES; tag++) {
            send(tag, 10, 900);
            numbers(client.stream(tag).prefetch(100, 1)).subscribe(new Numbers());
            awaitWaiting(tag);
        }
        send(100, 300, 900);
        StepVerifier.create(numbers(client.stream(100)).collectList()).expectNext(upTo(300)).expectComplete().verify(PATIENCE);
    }

    @Test
    void shouldNotHaveMoreBytesWaitThanItMay() {
        connect(UnaryOperator.identity());
        send(1, 500, 700);
        Numbers subscriber = new Numbers();
        numbers(client.stream(1).prefetch(1_000, 7_000)).subscribe(subscriber);
        awaitWaiting(10);
        subscriber.request(100);
        Link.await(() -> subscriber.arrived.size() == 100 && client.statistics().creditsInUse() == 10,
                () -> client.statistics().toString());
    }

    /** Small ones first: many of these are asked for, and then come large ones. What is too much stays in the pages. */
    @Test
    void shouldKeepTheLimitWhenMessagesGrow() {
        connect(UnaryOperator.identity());
        Flux<ByteBuffer> growing = Flux.range(0, 2_000).map(number -> message(number, number < 200 ? 4 : 800));
        server.stream(1).send(growing).then(server.stream(1).completeOutbound()).subscribe(nothing -> { }, error -> { });
        Numbers subscriber = new Numbers();
        numbers(client.stream(1).prefetch(1_000, 8_000)).subscribe(subscriber);
        Link.await(() -> client.statistics().heldBytes() > 15_000, () -> client.statistics().toString());
        subscriber.request(1);
        Link.await(() -> subscriber.arrived.size() == 1, () -> client.statistics().toString());
        assertThat(client.statistics().maxHeldBytes()).isLessThanOrEqualTo(16_000 + PAGES * PAGE);
        subscriber.requestUnbounded();
        Link.await(() -> subscriber.arrived.size() == 2_000, () -> subscriber.arrived.size() + " of 2,000");
        assertThat(subscriber.arrived).containsExactlyElementsOf(upTo(2_000));
    }

    @Test
    void shouldCountWhatACancelDiscards() {
        connect(UnaryOperator.identity());
        CompletableFuture<Void> sent = server.stream(1).send(Flux.range(0, 50).map(number -> message(number, 100)))
                .then(server.stream(1).completeOutbound()).toFuture();
        Numbers subscriber = new Numbers();
        numbers(client.stream(1).prefetch(1_000)).subscribe(subscriber);
        awaitWaiting(50);
        sent.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join(); // or what is sent later would be for this subscriber
        subscriber.request(20);
        Link.await(() -> subscriber.arrived.size() == 20, () -> subscriber.arrived.toString());
        subscriber.cancel();
        Link.await(() -> client.statistics().discardedMessages() == 30, () -> client.statistics().toString());
        awaitWaiting(0);
        send(1, 10, 100);
        StepVerifier.create(numbers(client.stream(1)).collectList()).expectNext(upTo(10)).expectComplete().verify(PATIENCE);
    }

    /** Without prefetch each message takes a round trip. */
    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldFeedOperatorsThatAskForOneAtATime(BackendType backend) {
        connect(backend, with -> with.framing(Framing.stream().prefetch(64)));
        send(7, 5_000, 20);
        StepVerifier.create(client.stream(7).receive().concatMap(buffer -> Mono.just(buffer.getInt(0)), 1).collectList())
                .expectNext(upTo(5_000)).expectComplete().verify(PATIENCE);
    }

    @Test
    void shouldApplyToTheConnectionsOwnStream() {
        connect(with -> with.framing(Framing.stream().prefetch(40)));
        server.send(Flux.range(0, 100).map(number -> message(number, 50))).then(server.completeOutbound())
                .subscribe(nothing -> { }, error -> { });
        Numbers subscriber = new Numbers();
        numbers(client).subscribe(subscriber);
        awaitWaiting(40);
        subscriber.requestUnbounded();
        Link.await(() -> subscriber.arrived.size() == 100, () -> subscriber.arrived.size() + " of 100");
    }

    @Test
    void shouldSwitchOffForOneStream() {
        connect(with -> with.framing(Framing.stream().prefetch(40)));
        AtomicLong requested = send(3, 100, 50);
        Numbers subscriber = new Numbers(5);
        numbers(client.stream(3).prefetch(0)).subscribe(subscriber);
        Link.await(() -> subscriber.arrived.size() == 5, () -> subscriber.arrived.toString());
        assertThat(client.statistics().creditsInUse()).isZero();
        assertThat(requested.get()).isPositive();
    }

    /** The messages that wait for a lease to be given back are some that the subscriber has asked for. */
    @ParameterizedTest
    @EnumSource(LeasePolicy.class)
    void shouldLeaseWhatCameAhead(LeasePolicy policy) {
        connect(with -> with.leasePolicy(policy));
        send(1, 400, 100);
        AtomicInteger next = new AtomicInteger();
        Flux<Integer> leased = client.stream(1).prefetch(100).receiveLeased().map(lease -> {
            try (lease) {
                assertThat(lease.buffer().order(java.nio.ByteOrder.BIG_ENDIAN).getInt(0)).isEqualTo(next.getAndIncrement());
            }
            return 1;
        });
        StepVerifier.create(leased.limitRate(3).reduce(Integer::sum)).expectNext(400).expectComplete().verify(PATIENCE);
        Link.await(() -> client.statistics().leasedBuffers() == 0 && client.statistics().leasedCopies() == 0,
                () -> client.statistics().toString());
    }

    /** What came ahead may have half of the pages, and leases three quarters: together more than there are. */
    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldLeaveAPageToOtherStreamsWhereLeasesHaveWhatIsLeft(BackendType backend) {
        connect(backend, UnaryOperator.identity());
        send(1, 20, 900);
        Numbers ahead = new Numbers();
        numbers(client.stream(1).prefetch(8)).subscribe(ahead);
        awaitWaiting(8);
        ConcurrentLinkedQueue<Lease> leases = new ConcurrentLinkedQueue<>();
        send(2, 20, 900);
        client.stream(2).receiveLeased().subscribe(leases::add, error -> { });
        Link.await(() -> leases.size() == 20, () -> leases.size() + " leases, " + client.statistics());
        send(3, 20, 900);
        StepVerifier.create(numbers(client.stream(3)).collectList()).expectNext(upTo(20)).expectComplete().verify(PATIENCE);
        leases.forEach(Lease::close);
        ahead.requestUnbounded();
        Link.await(() -> ahead.arrived.size() == 20, () -> ahead.arrived.toString());
    }

    @Test
    void shouldLeaveRequestsAsTheyAre() {
        connect(with -> with.framing(Framing.stream().prefetch(1_000)));
        AtomicInteger atOnce = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        client.respond(9, 2, request -> {
            most.accumulateAndGet(atOnce.incrementAndGet(), Math::max);
            return Mono.delay(Duration.ofMillis(1)).map(zero -> {
                atOnce.decrementAndGet();
                return request;
            });
        }).subscribe(nothing -> { }, error -> { });
        NetioRequester requester = server.requester(9);
        StepVerifier.create(Flux.range(0, 40).flatMap(number -> requester.request(message(number, 8)), 40).count())
                .expectNext(40L).expectComplete().verify(PATIENCE);
        assertThat(most.get()).isLessThanOrEqualTo(2);
        assertThat(client.statistics().maxHeldBytes()).as("requests wait with the requester").isLessThanOrEqualTo(64);
    }

    @Test
    void shouldRefuseWhatMakesNoSense() {
        assertThatThrownBy(() -> Framing.stream().prefetch(-1)).isInstanceOf(IllegalArgumentException.class)
                .hasMessage("prefetch must be at least 0 messages: -1");
        assertThatThrownBy(() -> Framing.stream().prefetch(1, 0)).isInstanceOf(IllegalArgumentException.class)
                .hasMessage("prefetch must be at least 1 byte: 0");
    }
}
