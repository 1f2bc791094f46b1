// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import static io.reactivenetio.testing.TestSettings.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.api.ConnectionStatistics;
import io.reactivenetio.api.EndSignal;
import io.reactivenetio.transport.BackendType;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Fuseable;
import reactor.core.Fuseable.ConditionalSubscriber;
import reactor.core.Fuseable.QueueSubscription;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;
import reactor.test.StepVerifier.Step;
import reactor.util.context.Context;

/** Operators that poll what has arrived, instead of being given it, or say of each element whether it counts. */
@Timeout(120)
class FusionTest extends TwoEnds {
    private static final int PAGE = 1024;

    /** Does nothing of itself. */
    private static final class Poller implements CoreSubscriber<Object> {
        final AtomicInteger signals = new AtomicInteger();
        final AtomicInteger discarded = new AtomicInteger();
        final CompletableFuture<@Nullable Void> end = new CompletableFuture<>();
        private final int asked;
        private int mode;
        private volatile @Nullable QueueSubscription<?> source;

        Poller(int asked) {
            this.asked = asked;
        }

        @Override
        public Context currentContext() {
            return Context.of("reactor.onDiscard.local", (Consumer<Object>) gone -> discarded.incrementAndGet());
        }

        @Override
        public void onSubscribe(Subscription s) {
            QueueSubscription<?> queue = (QueueSubscription<?>) s;
            mode = queue.requestFusion(asked);
            source = queue;
        }

        QueueSubscription<?> source() {
            Link.await(() -> source != null, () -> "no subscription");
            return Objects.requireNonNull(source);
        }

        int mode() {
            source();
            return mode;
        }

        List<Integer> poll(int most) {
            List<Integer> numbers = new ArrayList<>();
            Object element;
            while (numbers.size() < most && (element = source().poll()) != null) {
                numbers.add(((ByteBuffer) element).getInt(0));
            }
            return numbers;
        }

        void awaitSize(int elements) {
            Link.await(() -> source().size() == elements, () -> source().size() + " are there");
        }

        @Override
        public void onNext(@Nullable Object element) {
            assertThat(element).isNull();
            signals.incrementAndGet();
        }

        @Override
        public void onError(Throwable error) {
            end.completeExceptionally(error);
        }

        @Override
        public void onComplete() {
            end.complete(null);
        }
    }

    private void connect() {
        connect(BackendType.TCP, PAGE, 8, UnaryOperator.identity());
    }

    private void send(int count) {
        server.stream(1).send(Flux.range(0, count).map(number -> ByteBuffer.allocate(8).putInt(0, number)))
                .then(server.stream(1).completeOutbound()).subscribe(nothing -> { }, error -> { });
    }

    private static List<Integer> range(int from, int to) {
        return IntStream.range(from, to).boxed().toList();
    }

    @Test
    void shouldOfferToBePolledAndNothingElse() {
        connect();
        Poller anyThread = new Poller(Fuseable.ANY | Fuseable.THREAD_BARRIER);
        client.stream(1).receive().subscribe(anyThread);
        assertThat(anyThread.mode()).isEqualTo(Fuseable.ASYNC);
        Poller synchronous = new Poller(Fuseable.SYNC);
        client.stream(2).receive().subscribe(synchronous);
        assertThat(synchronous.mode()).isEqualTo(Fuseable.NONE);
        Poller leased = new Poller(Fuseable.ANY);
        client.stream(3).receiveLeased().subscribe(leased);
        assertThat(leased.mode()).isEqualTo(Fuseable.NONE);
    }

    /** Of 1,000 messages that the server sends, so many were asked for, exactly, and wait. */
    private Poller polling(int requested) {
        Poller poller = new Poller(Fuseable.ANY);
        client.stream(1).prefetch(0).receive().subscribe(poller);
        send(1_000);
        poller.source().request(requested);
        poller.awaitSize(requested);
        return poller;
    }

    @Test
    void shouldKeepToTheDemandAndSignalOnceForAPage() {
        connect();
        Poller poller = polling(60);
        assertThat(poller.signals.get()).isLessThan(10);
        assertThat(poller.poll(50)).isEqualTo(range(0, 50));
        poller.source().request(30);
        poller.awaitSize(40);
        assertThat(poller.poll(100)).isEqualTo(range(50, 90));
        assertThat(poller.poll(1)).isEmpty();
    }

    @Test
    void shouldEndBehindWhatIsInTheQueue() {
        connect();
        Poller poller = new Poller(Fuseable.ANY);
        client.stream(1).receive().subscribe(poller);
        poller.source().request(500);
        send(300);
        poller.end.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
        assertThat(poller.poll(500)).isEqualTo(range(0, 300));
        assertThat(client.statistics().discardedMessages()).isZero();
    }

    @Test
    void shouldDiscardWhatIsInTheQueueAndCountIt() {
        connect();
        Poller poller = polling(200);
        assertThat(poller.poll(20)).isEqualTo(range(0, 20));
        poller.source().cancel();
        poller.source().clear();
        assertThat(poller.source().isEmpty()).isTrue();
        assertThat(poller.discarded.get()).isEqualTo(180);
        Link.await(() -> client.statistics().discardedMessages() == 180, () -> client.statistics().toString());
    }

    /** Small ones first: many of these are asked for, and then come large ones. What is too much stays in the pages. */
    @Test
    void shouldKeepTheLimitWhenMessagesGrow() {
        connect();
        Poller poller = new Poller(Fuseable.ANY);
        client.stream(1).prefetch(1_000, 8_000).receive().subscribe(poller);
        server.stream(1).send(Flux.range(0, 2_000).map(number -> ByteBuffer.allocate(number < 200 ? 8 : 800).putInt(0, number)))
                .then(server.stream(1).completeOutbound()).subscribe(nothing -> { }, error -> { });
        poller.source().request(200);
        Link.await(() -> poller.source().size() >= 200, () -> poller.source().size() + " are there");
        assertThat(poller.poll(200)).isEqualTo(range(0, 200));
        Link.await(() -> { // all pages are in use, or as much waits as the limit allows, whichever is first
            ConnectionStatistics now = client.statistics();
            return now.creditsInUse() == 8 || now.heldBytes() + 800L * poller.source().size() >= 2 * 8_000;
        }, () -> client.statistics() + ", " + poller.source().size());
        assertThat(poller.source().size()).isLessThanOrEqualTo(2 * 8_000 / 800 + 1);
        poller.source().request(1_800);
        List<Integer> rest = new ArrayList<>();
        Link.await(() -> {
            rest.addAll(poller.poll(2_000));
            return rest.size() == 1_800;
        }, () -> rest.size() + " have come");
        assertThat(rest).isEqualTo(range(200, 2_000));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldCountWhatAnOperatorThatCancelsLeavesOrPolls(boolean polls) {
        connect();
        Poller poller = polling(200);
        assertThat(poller.poll(20)).isEqualTo(range(0, 20));
        poller.source().cancel();
        if (polls) {
            assertThat(poller.poll(50)).hasSize(50);
            poller.source().clear();
        }
        Link.await(() -> client.statistics().discardedMessages() == 180, () -> client.statistics().toString());
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldBringAllToAnotherThread(BackendType backend) {
        connect(backend, PAGE, 8, UnaryOperator.identity());
        send(100_000);
        StepVerifier.create(client.stream(1).receive().publishOn(Schedulers.parallel()).map(m -> m.getInt(0)).collectList())
                .expectNext(range(0, 100_000)).expectComplete().verify(PATIENCE);
    }

    @Test
    void shouldBringAllThroughOperatorsOfTheLoop() {
        connect();
        send(50_000);
        assertThat(client.stream(1).receive().map(m -> m.getInt(0)).filter(n -> n % 2 == 0).concatMap(Mono::just, 16)
                .publishOn(Schedulers.single(), 4).collectList().block(PATIENCE))
                .hasSize(25_000).isSorted().doesNotHaveDuplicates();
    }

    /** While the loop fills the queue, and the operator polls it, on two threads. */
    @ParameterizedTest
    @ValueSource(ints = {1, 100, 5_000, 20_000})
    void shouldCountAllThatACancelDiscards(int taken) {
        connect();
        for (int tag = 1; tag <= 20; tag++) {
            server.stream(tag).send(Flux.range(0, 100_000).map(number -> ByteBuffer.allocate(8).putInt(0, number)))
                    .subscribe(nothing -> { }, error -> { });
            assertThat(client.stream(tag).receive().publishOn(Schedulers.parallel()).take(taken).count().block(PATIENCE))
                    .isEqualTo(taken);
        }
        Link.await(() -> server.statistics().sentMessages() == 20L * taken + client.statistics().discardedMessages(),
                () -> server.statistics() + ", " + client.statistics());
    }

    /** Takes even numbers only. */
    private static final class Choosy implements ConditionalSubscriber<ByteBuffer> {
        final List<Integer> seen = new CopyOnWriteArrayList<>();
        final CompletableFuture<Subscription> subscription = new CompletableFuture<>();
        final CompletableFuture<@Nullable Void> end = new CompletableFuture<>();
        private final IntPredicate last;

        /** With the number that {@code last} knows it cancels. */
        Choosy(IntPredicate last) {
            this.last = last;
        }

        void request(int n) {
            subscription.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join().request(n);
        }

        void awaitSeen(int to) {
            Link.await(() -> seen.equals(range(0, to)), seen::toString);
        }

        @Override
        public void onSubscribe(Subscription s) {
            subscription.complete(s);
        }

        @Override
        public boolean tryOnNext(ByteBuffer message) {
            int number = message.getInt(0);
            seen.add(number);
            if (last.test(number)) {
                subscription.join().cancel();
            }
            return number % 2 == 0;
        }

        @Override
        public void onNext(ByteBuffer message) {
            throw new AssertionError("given without a question");
        }

        @Override
        public void onError(Throwable error) {
            end.completeExceptionally(error);
        }

        @Override
        public void onComplete() {
            end.complete(null);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 64})
    void shouldBringAnotherElementForEachThatDoesNotCount(int prefetch) {
        connect();
        Choosy choosy = new Choosy(number -> false);
        client.stream(1).prefetch(prefetch).receive().subscribe(choosy);
        send(100);
        choosy.request(10);
        choosy.awaitSeen(19);
        choosy.request(1);
        choosy.awaitSeen(21);
        choosy.request(40);
        choosy.end.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
        choosy.awaitSeen(100);
    }

    /** Whether the one at which it does so counts, or not. */
    @ParameterizedTest
    @ValueSource(ints = {40, 41})
    void shouldStopAtTheElementThatCancels(int last) {
        connect();
        Choosy choosy = new Choosy(number -> number == last);
        client.stream(1).receive().subscribe(choosy);
        send(1_000);
        choosy.request(500);
        choosy.awaitSeen(last + 1);
        Link.await(() -> server.statistics().sentMessages() == last + 1 + client.statistics().discardedMessages(),
                () -> server.statistics() + ", " + client.statistics());
        choosy.awaitSeen(last + 1);
    }

    @ParameterizedTest
    @EnumSource(FramingKind.class)
    void shouldFilterOneByOneWithAnyFraming(FramingKind kind) {
        Framing framing = kind == FramingKind.STREAM ? kind.framing() : kind.framing(EndSignal.EMPTY_MESSAGE);
        connect(BackendType.TCP, side -> side.framing(framing), side -> side.framing(framing));
        server.send(Flux.range(0, 9_901).map(number -> ByteBuffer.allocate(8).putInt(0, number)))
                .then(server.completeOutbound()).subscribe();
        Step<Integer> steps = StepVerifier.create(client.receive().map(m -> m.getInt(0)).filter(n -> n % 100 == 0), 1)
                .expectNext(0);
        for (int number = 100; number < 10_000; number += 100) {
            steps = steps.thenRequest(1).expectNext(number);
        }
        steps.expectComplete().verify(PATIENCE);
    }
}
