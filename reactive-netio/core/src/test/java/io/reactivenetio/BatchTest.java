// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import static io.reactivenetio.testing.TestSettings.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivenetio.api.EndSignal;
import io.reactivenetio.api.MessageBatch;
import io.reactivenetio.api.NetioInbound;
import io.reactivenetio.api.TaggedMessage;
import io.reactivenetio.transport.BackendType;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;

/** Messages that are received in batches. */
@Timeout(120)
class BatchTest extends TwoEnds {
    private static final int PAGE = 1024;
    private static final int PAGES = 8;
    private static final int MANY = 20_000;

    private void connect() {
        connect(BackendType.TCP, PAGE, PAGES, UnaryOperator.identity());
    }

    private void connect(BackendType backend, FramingKind framing) {
        Framing spec = framing == FramingKind.STREAM ? framing.framing() : framing.framing(EndSignal.EMPTY_MESSAGE);
        connect(backend, s -> s.framing(spec).receiveBuffers(PAGE, PAGES).sendBuffers(PAGE, PAGES),
                c -> c.framing(spec).receiveBuffers(PAGE, PAGES).sendBuffers(PAGE, PAGES));
    }

    private void send(Flux<ByteBuffer> messages) {
        server.send(messages).then(server.completeOutbound()).subscribe(nothing -> { }, error -> { });
    }

    private static List<Long> numbers(MessageBatch batch) {
        List<Long> numbers = new ArrayList<>();
        while (batch.next()) {
            assertThat(batch.length()).isEqualTo(8);
            numbers.add(batch.getLong(0));
        }
        return numbers;
    }

    private static List<Long> all(Flux<List<Long>> batches) {
        List<Long> all = batches.collectList().block(PATIENCE).stream().flatMap(List::stream).toList();
        return all;
    }

    @ParameterizedTest
    @EnumSource
    void shouldHaveEveryMessageInOrder(FramingKind framing) {
        for (BackendType backend : List.of(BackendType.TCP, BackendType.LIBFABRIC)) {
            connect(backend, framing);
            send(Numbers.numbers(MANY));
            assertThat(all(client.receiveBatches().map(BatchTest::numbers))).isEqualTo(Numbers.upTo(MANY));
        }
    }

    @Test
    void shouldHaveManyMessagesInOneBatch() {
        connect();
        send(Numbers.numbers(MANY));
        long batches = client.receiveBatches().map(BatchTest::numbers).count().block(PATIENCE);
        assertThat(batches).isLessThan(MANY / 10);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 7, 1024})
    void shouldKeepToTheNumberAndToTheDemand(int most) {
        connect();
        send(Numbers.numbers(MANY / 10));
        List<Long> seen = new ArrayList<>();
        StepVerifier.create(client.receiveBatches(most).map(batch -> {
            List<Long> numbers = numbers(batch);
            assertThat(numbers).hasSizeBetween(1, most);
            seen.addAll(numbers);
            return numbers.size();
        }).limitRate(1)).thenConsumeWhile(size -> true).verifyComplete();
        assertThat(seen).isEqualTo(Numbers.upTo(MANY / 10));
    }

    @Test
    void shouldAskThePeerForNoMoreThanTheBatchesMayHave() {
        connect(BackendType.TCP, PAGE, PAGES, c -> c.framing(Framing.stream().prefetch(0)));
        AtomicInteger sent = new AtomicInteger();
        send(Numbers.numbers(MANY).doOnNext(message -> sent.incrementAndGet()));
        List<Integer> sizes = new ArrayList<>();
        BaseSubscriber<Integer> subscriber = new BaseSubscriber<>() {
            @Override
            protected void hookOnSubscribe(Subscription subscription) {
                subscription.request(1);
            }

            @Override
            protected void hookOnNext(Integer size) {
                sizes.add(size);
            }
        };
        client.receiveBatches(10).map(batch -> numbers(batch).size()).subscribe(subscriber);
        Link.await(() -> sent.get() == 10, () -> sent + " were sent");
        subscriber.request(1); // there may be room for some in the first batch
        Link.await(() -> sizes.size() == 2, () -> sizes + " of " + sent);
        assertThat(sent.get()).isLessThanOrEqualTo(20);
        subscriber.cancel();
    }

    @Test
    void shouldBatchWhatHasWaited() {
        connect();
        send(Numbers.numbers(300));
        Flux<List<Long>> slow = client.receiveBatches(100).map(BatchTest::numbers).concatMap(
                numbers -> Mono.just(numbers).delayElement(java.time.Duration.ofMillis(20)), 1);
        List<List<Long>> batches = slow.collectList().block(PATIENCE);
        assertThat(batches.stream().flatMap(List::stream).toList()).isEqualTo(Numbers.upTo(300));
        assertThat(batches).hasSizeLessThan(30);
    }

    @Test
    void shouldPassOverWhatNobodyReads() {
        connect();
        send(Numbers.numbers(MANY));
        assertThat(client.receiveBatches().count().block(PATIENCE)).isPositive();
        Link.await(() -> client.statistics().creditsInUse() == 0, () -> client.statistics().toString());
        connect();
        send(Numbers.numbers(MANY));
        List<Long> firsts = client.receiveBatches(50).map(batch -> {
            batch.next();
            return batch.getLong(0);
        }).collectList().block(PATIENCE);
        assertThat(firsts).isSorted().hasSizeLessThan(MANY / 2);
    }

    @Test
    void shouldEndWithinABatch() {
        connect();
        send(Numbers.numbers(MANY));
        List<Long> numbers = new ArrayList<>();
        client.receiveBatches().subscribe(new BaseSubscriber<>() {
            @Override
            protected void hookOnNext(MessageBatch batch) {
                while (batch.next()) {
                    numbers.add(batch.getLong(0));
                    if (numbers.size() == 5) {
                        cancel();
                    }
                }
            }
        });
        Link.await(() -> numbers.size() == 5 && client.statistics().creditsInUse() == 0,
                () -> numbers + ", " + client.statistics());
        assertThat(numbers).isEqualTo(Numbers.upTo(5));
    }

    @Test
    void shouldFailWithWhatReadingThrows() {
        connect();
        send(Numbers.numbers(MANY));
        StepVerifier.create(client.receiveBatches().map(batch -> {
            batch.next();
            return batch.getLong(1);
        })).verifyErrorSatisfies(error -> assertThat(error).isInstanceOf(IndexOutOfBoundsException.class)
                .hasMessageContaining("length 8"));
        assertThat(client.receive().next().onErrorReturn(ByteBuffer.allocate(1)).block(PATIENCE).limit()).isEqualTo(1);
    }

    @Test
    void shouldSayThatABatchIsOver() {
        connect();
        send(Numbers.numbers(10));
        List<MessageBatch> kept = client.receiveBatches().doOnNext(batch -> assertThatThrownBy(batch::length)
                .isInstanceOf(IllegalStateException.class).hasMessageContaining("call next()")).collectList().block(PATIENCE);
        assertThatThrownBy(kept.getFirst()::next).isInstanceOf(IllegalStateException.class).hasMessageContaining("over");
        assertThatThrownBy(kept.getFirst()::data).isInstanceOf(IllegalStateException.class).hasMessageContaining("copy()");
        connect();
        send(Numbers.numbers(10));
        StepVerifier.create(client.receiveBatches().publishOn(Schedulers.single()).map(MessageBatch::next))
                .verifyErrorSatisfies(error -> assertThat(error).hasMessageContaining("before concatMap, publishOn"));
    }

    @ParameterizedTest
    @ValueSource(ints = {8, 100, 200, 900, 5000})
    void shouldShowMessagesOfEachSizeAndType(int bytes) {
        connect(BackendType.TCP, s -> s.byteOrder(ByteOrder.LITTLE_ENDIAN).receiveBuffers(PAGE, PAGES).sendBuffers(PAGE, PAGES),
                c -> c.byteOrder(ByteOrder.LITTLE_ENDIAN).receiveBuffers(PAGE, PAGES).sendBuffers(PAGE, PAGES));
        send(Flux.range(0, 50).map(number -> {
            ByteBuffer message = ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
            for (int at = 0; at < bytes; at++) {
                message.put(at, (byte) (number + at));
            }
            return message;
        }));
        AtomicInteger messages = new AtomicInteger();
        client.receiveBatches().doOnNext(batch -> {
            while (batch.next()) {
                int number = messages.getAndIncrement();
                ByteBuffer copy = batch.copy();
                ByteBuffer data = batch.data();
                assertThat(batch.length()).isEqualTo(bytes);
                assertThat(data).isEqualTo(copy).extracting(ByteBuffer::order).isEqualTo(ByteOrder.LITTLE_ENDIAN);
                for (int at = 0; at < bytes; at++) {
                    assertThat(batch.getByte(at)).isEqualTo((byte) (number + at));
                }
                assertThat(batch.getShort(1)).isEqualTo(copy.getShort(1));
                assertThat(batch.getInt(2)).isEqualTo(copy.getInt(2));
                assertThat(batch.getLong(0)).isEqualTo(copy.getLong(0));
                assertThat(batch.getFloat(3)).isEqualTo(copy.getFloat(3));
                assertThat(batch.getDouble(0)).isEqualTo(copy.getDouble(0));
            }
        }).blockLast(PATIENCE);
        assertThat(messages).hasValue(50);
    }

    @Test
    void shouldTellTagAndStatusOfEachMessage() {
        connect();
        int count = 1000;
        server.sendTagged(Flux.range(0, count).map(number -> new TaggedMessage(number % 7 == 0 ? 3 : number % 5,
                number % 11 == 0 ? 9 : 0, Numbers.number(number)))).then(server.completeOutbound()).subscribe();
        List<Long> numbers = new ArrayList<>();
        client.receiveBatches().doOnNext(batch -> {
            while (batch.next()) {
                long number = batch.getLong(0);
                assertThat(batch.tag()).isEqualTo(number % 7 == 0 ? 3 : number % 5);
                assertThat(batch.status()).isEqualTo(number % 11 == 0 ? 9 : 0);
                numbers.add(number);
            }
        }).blockLast(PATIENCE);
        assertThat(numbers).isEqualTo(Numbers.upTo(count));
    }

    @Test
    void shouldServeEachSubscriberOfAStream() {
        connect();
        Flux<List<Long>> stream = client.stream(5).receiveBatches().map(BatchTest::numbers);
        for (int round = 0; round < 3; round++) {
            server.stream(5).send(Numbers.numbers(500)).then(server.stream(5).completeOutbound()).subscribe();
            assertThat(all(stream)).isEqualTo(Numbers.upTo(500));
        }
    }

    /** Small ones, which follow each other, some that need a frame of their own, and some in parts. */
    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"TCP", "LIBFABRIC"})
    void shouldHaveMessagesOfAllSizesInOrder(BackendType backend) {
        connect(backend, PAGE, PAGES, UnaryOperator.identity());
        int count = 3_000;
        send(Flux.range(0, count).map(number -> ByteBuffer.allocate(number % 17 == 0 ? 3_000 : 8 + number % 300)
                .putLong(0, number)));
        List<Long> numbers = new ArrayList<>();
        client.receiveBatches(64).doOnNext(batch -> {
            while (batch.next()) {
                long number = batch.getLong(0);
                assertThat(batch.length()).isEqualTo(number % 17 == 0 ? 3_000 : 8 + (int) number % 300);
                assertThat(batch.data().getLong()).isEqualTo(number);
                numbers.add(number);
            }
        }).limitRate(3).blockLast(PATIENCE);
        assertThat(numbers).isEqualTo(Numbers.upTo(count));
    }

    @Test
    void shouldAskForMoreWithinABatch() {
        connect();
        send(Numbers.numbers(MANY));
        List<Long> numbers = new ArrayList<>();
        CompletableFuture<Object> end = new CompletableFuture<>();
        client.receiveBatches(3).subscribe(new BaseSubscriber<>() {
            @Override
            protected void hookOnSubscribe(Subscription subscription) {
                subscription.request(1);
            }

            @Override
            protected void hookOnNext(MessageBatch batch) {
                batch.next();
                numbers.add(batch.getLong(0));
                request(1);
                while (batch.next()) {
                    numbers.add(batch.getLong(0));
                }
            }

            @Override
            protected void hookOnComplete() {
                end.complete(null);
            }
        });
        end.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
        assertThat(numbers).isEqualTo(Numbers.upTo(MANY));
    }

    @Test
    void shouldSurviveTheEndOfItsConnectionWithinABatch() {
        for (BackendType backend : List.of(BackendType.TCP, BackendType.LIBFABRIC)) {
            connect(backend, PAGE, PAGES, UnaryOperator.identity());
            send(Numbers.numbers(MANY));
            AtomicInteger batches = new AtomicInteger();
            StepVerifier.create(client.receiveBatches().doOnNext(batch -> {
                batch.next();
                client.dispose();
                long before = batch.getLong(0);
                while (batch.next()) {
                    assertThat(batch.getLong(0)).isGreaterThan(before);
                }
                batches.incrementAndGet();
            }).then()).verifyError();
            assertThat(batches).hasValue(1);
        }
    }

    @Test
    void shouldLeaveTheRestToNobodyAfterTakeOfOne() {
        connect();
        for (int round = 0; round < 20; round++) {
            server.stream(round).send(Numbers.numbers(500)).subscribe(nothing -> { }, error -> { });
            assertThat(client.stream(round).receiveBatches(7).map(BatchTest::numbers).take(1).blockLast(PATIENCE))
                    .startsWith(0L);
        }
        Link.await(() -> client.statistics().creditsInUse() == 0, () -> client.statistics().toString());
    }

    @Test
    void shouldRefuseBatchesWithoutMessages() {
        connect();
        NetioInbound inbound = client;
        assertThatThrownBy(() -> inbound.receiveBatches(0)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("0");
    }
}
