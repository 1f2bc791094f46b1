// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.pubsub;

import static io.reactivenetio.testing.TestSettings.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Fuseable;
import reactor.core.Fuseable.QueueSubscription;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;
import reactor.test.publisher.TestPublisher;
import reactor.util.context.Context;
import reactor.util.retry.Retry;

/** Streams that follow one another: their demand, their queues and their ends. */
@Timeout(120)
class RenewedFluxTest {
    private static final RuntimeException LOST = new RuntimeException("lost");

    /** Asks by itself for nothing. */
    private static final class Poller implements CoreSubscriber<Integer> {
        private final List<String> signals = new ArrayList<>();
        private final List<Object> discarded = new ArrayList<>();
        private @Nullable QueueSubscription<Integer> queue;

        @Override
        public Context currentContext() {
            return Context.of("reactor.onDiscard.local", (Consumer<Object>) discarded::add);
        }

        @Override
        @SuppressWarnings("unchecked")
        public void onSubscribe(Subscription s) {
            QueueSubscription<Integer> its = (QueueSubscription<Integer>) s;
            assertThat(its.requestFusion(Fuseable.ANY | Fuseable.THREAD_BARRIER)).isEqualTo(Fuseable.ASYNC);
            queue = its;
        }

        QueueSubscription<Integer> queue() {
            return Objects.requireNonNull(queue);
        }

        List<Integer> poll() {
            List<Integer> elements = new ArrayList<>();
            Integer element;
            while ((element = queue().poll()) != null) {
                elements.add(element);
            }
            return elements;
        }

        @Override
        public void onNext(@Nullable Integer element) {
            signals.add("next " + element);
        }

        @Override
        public void onError(Throwable error) {
            signals.add(String.valueOf(error.getMessage()));
        }

        @Override
        public void onComplete() {
            signals.add("complete");
        }
    }

    /** What each stream was asked for, in the order of the streams. */
    private final List<AtomicLong> asked = new CopyOnWriteArrayList<>();

    /** Streams that fail are followed by the next, those that complete are not. */
    private Flux<Integer> renewed(boolean polled, Flux<Integer> first, Flux<Integer> second) {
        Deque<Flux<Integer>> streams = new ArrayDeque<>(List.of(first, second));
        return new RenewedFlux<>(polled, past -> Flux.defer(() -> past.apply(counted(streams.remove()))).retry(1));
    }

    private Flux<Integer> counted(Flux<Integer> stream) {
        AtomicLong demand = new AtomicLong();
        asked.add(demand);
        return stream.doOnRequest(demand::addAndGet);
    }

    private List<Long> asked() {
        return asked.stream().map(AtomicLong::get).toList();
    }

    private static void emit(TestPublisher<Integer> stream, int from, int to) {
        IntStream.range(from, to).forEach(stream::next);
    }

    @Test
    void shouldAskTheNextStreamForWhatTheFirstHasNotGiven() {
        TestPublisher<Integer> first = TestPublisher.create();
        TestPublisher<Integer> second = TestPublisher.create();
        List<Integer> got = new ArrayList<>();
        List<Subscription> subscription = new ArrayList<>();
        renewed(true, first.flux(), second.flux()).subscribe(new CoreSubscriber<>() {
            @Override
            public void onSubscribe(Subscription s) {
                subscription.add(s);
                s.request(10);
            }

            @Override
            public void onNext(Integer element) {
                got.add(element);
            }

            @Override
            public void onError(Throwable error) {
                throw new AssertionError(error);
            }

            @Override
            public void onComplete() {
                got.add(-1);
            }
        });
        emit(first, 0, 3);
        subscription.getFirst().request(2);
        assertThat(asked()).containsExactly(12L);
        first.error(LOST);
        assertThat(asked()).containsExactly(12L, 9L);
        subscription.getFirst().request(Long.MAX_VALUE);
        assertThat(asked.get(1).get()).isNegative(); // the sum of 9 and no bound
        emit(second, 3, 30);
        second.complete();
        assertThat(got).containsExactlyElementsOf(IntStream.range(0, 31).map(n -> n == 30 ? -1 : n).boxed().toList());
    }

    /** Those that are in the queue when the first stream ends count, and come before those of the second. */
    @ParameterizedTest
    @CsvSource({"true, true", "true, false", "false, true", "false, false"})
    void shouldPollTheQueuesOfTheStreamsOneBehindTheOther(boolean firstHasOne, boolean secondHasOne) {
        TestPublisher<Integer> plain = TestPublisher.create();
        Sinks.Many<Integer> queue = Sinks.many().unicast().onBackpressureBuffer();
        TestPublisher<Integer> plainSecond = TestPublisher.create();
        Sinks.Many<Integer> queueSecond = Sinks.many().unicast().onBackpressureBuffer();
        Poller poller = new Poller();
        renewed(true, firstHasOne ? queue.asFlux() : plain.flux(), secondHasOne ? queueSecond.asFlux() : plainSecond.flux())
                .subscribe(poller);
        poller.queue().request(10);
        for (int i = 0; i < 6; i++) {
            plain.next(i);
            queue.tryEmitNext(i);
        }
        assertThat(poller.queue().poll()).isZero();
        assertThat(poller.queue().poll()).isEqualTo(1);
        assertThat(poller.queue().size()).isEqualTo(4);
        plain.error(LOST);
        queue.tryEmitError(LOST);
        assertThat(asked()).containsExactly(10L, 4L);
        for (int i = 6; i < 10; i++) {
            plainSecond.next(i);
            queueSecond.tryEmitNext(i);
        }
        assertThat(poller.queue().size()).isEqualTo(8);
        assertThat(poller.queue().isEmpty()).isFalse();
        plainSecond.complete();
        queueSecond.tryEmitComplete();
        assertThat(poller.poll()).containsExactly(2, 3, 4, 5, 6, 7, 8, 9);
        assertThat(poller.queue().isEmpty()).isTrue();
        assertThat(poller.signals).endsWith("complete").containsOnly("next null", "complete");
    }

    /** An operator in between gives less than the queue of the first stream had. */
    @Test
    void shouldAskAgainForWhatAFilterHasTakenOut() {
        Sinks.Many<Integer> first = Sinks.many().unicast().onBackpressureBuffer();
        TestPublisher<Integer> second = TestPublisher.create();
        Poller poller = new Poller();
        renewed(true, first.asFlux().filter(n -> n < 0), second.flux()).subscribe(poller);
        poller.queue().request(3);
        first.tryEmitNext(1);
        first.tryEmitNext(2);
        first.tryEmitNext(3);
        first.tryEmitError(LOST);
        assertThat(asked.get(1)).hasValue(0);
        assertThat(poller.queue().poll()).isNull();
        assertThat(asked.get(1)).hasValue(3);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldDiscardWhatWaitsAndWhatStillComes(boolean hasQueue) {
        TestPublisher<Integer> plain = TestPublisher.createNoncompliant(TestPublisher.Violation.CLEANUP_ON_TERMINATE);
        Sinks.Many<Integer> queue = Sinks.many().unicast().onBackpressureBuffer();
        Poller poller = new Poller();
        renewed(true, hasQueue ? queue.asFlux() : plain.flux(), Flux.never()).subscribe(poller);
        poller.queue().request(10);
        for (int i = 0; i < 5; i++) {
            plain.next(i);
            queue.tryEmitNext(i);
        }
        poller.queue().cancel();
        poller.queue().clear();
        plain.next(5); // from a thread that has not seen the cancel yet
        assertThat(poller.discarded).startsWith(0, 1, 2, 3, 4).hasSize(hasQueue ? 5 : 6);
        assertThat(poller.queue().isEmpty()).isTrue();
        assertThat(poller.queue().poll()).isNull();
    }

    @Test
    void shouldCancelWhereverTheStreamsAre() {
        TestPublisher<Integer> first = TestPublisher.create();
        AtomicInteger made = new AtomicInteger();
        Sinks.Many<Long> again = Sinks.many().unicast().onBackpressureBuffer();
        Flux<Integer> messages = new RenewedFlux<>(false, past -> Flux.defer(() -> {
            made.incrementAndGet();
            return past.apply(first.flux());
        }).retryWhen(Retry.from(failures -> failures.concatMap(failure -> again.asFlux()))));
        var disposable = messages.subscribe();
        first.assertSubscribers(1);
        disposable.dispose();
        first.assertNoSubscribers();
        var between = messages.subscribe();
        first.error(LOST);
        between.dispose();
        assertThat(again.currentSubscriberCount()).isZero();
        messages.take(0).blockLast(PATIENCE); // cancels within onSubscribe
        assertThat(made).hasValue(2);
    }

    /** A stream that has brought a message has succeeded. */
    @Test
    void shouldTellRetriesInARow() {
        List<Long> inARow = new ArrayList<>();
        AtomicInteger number = new AtomicInteger();
        Retry retry = Retry.from(failures -> failures.doOnNext(failure -> inARow.add(failure.totalRetriesInARow())));
        Flux<Integer> messages = new RenewedFlux<>(false, past -> Flux.defer(() -> past.apply(switch (number.getAndIncrement()) {
            case 0, 1, 3 -> Flux.error(LOST);
            case 2 -> Flux.just(1, 2).concatWith(Flux.error(LOST));
            default -> Flux.just(3);
        })).retryWhen(retry));
        assertThat(messages.collectList().block(PATIENCE)).containsExactly(1, 2, 3);
        assertThat(inARow).containsExactly(0L, 1L, 0L, 1L);
    }

    /** §3.9: it must fail, and the source says so. */
    @Test
    void shouldPassAWrongRequestToTheNextStream() {
        List<Long> requests = new ArrayList<>();
        Poller poller = new Poller();
        Sinks.One<Integer> connected = Sinks.one();
        Function<Flux<Integer>, Flux<Integer>> watched = stream -> stream.doOnRequest(requests::add);
        new RenewedFlux<Integer>(true, past -> connected.asMono().flatMapMany(
                one -> past.apply(watched.apply(Flux.<Integer>never())))).subscribe(poller);
        poller.queue().request(-3);
        assertThat(requests).isEmpty();
        connected.tryEmitValue(1);
        assertThat(requests).containsExactly(0L);
    }

    /** Two threads, and streams that end at any moment; the queue of each has messages left, or not. */
    @ParameterizedTest
    @CsvSource({"1, true", "7, true", "256, true", "1, false", "7, false", "256, false"})
    void shouldLoseNothingBetweenStreams(int prefetch, boolean haveQueues) {
        int streams = 3_000;
        Random random = new Random(prefetch);
        AtomicInteger next = new AtomicInteger();
        AtomicInteger stream = new AtomicInteger();
        Flux<Integer> messages = new RenewedFlux<>(true, past -> Flux.defer(() -> {
            int last = next.get() + random.nextInt(20);
            Flux<Integer> numbers = Flux.<Integer>generate(sink -> {
                if (next.get() == last) {
                    sink.error(LOST);
                } else {
                    sink.next(next.getAndIncrement());
                }
            }).publishOn(Schedulers.single(), 4);
            Flux<Integer> one = stream.getAndIncrement() == streams ? Flux.empty() : numbers;
            return past.apply(haveQueues ? one : one.hide());
        }).retry());
        List<Integer> got = messages.publishOn(Schedulers.parallel(), prefetch).collectList().block(PATIENCE);
        assertThat(got).containsExactlyElementsOf(IntStream.range(0, next.get()).boxed().toList());
        assertThat(stream).hasValue(streams + 1);
    }
}
