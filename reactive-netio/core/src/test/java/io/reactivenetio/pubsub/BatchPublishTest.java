// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.pubsub;

import static io.reactivenetio.testing.TestSettings.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.NetioClient;
import io.reactivenetio.NetioCodec;
import io.reactivenetio.NetioLoops;
import io.reactivenetio.NetioServer;
import io.reactivenetio.Numbers;
import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.api.NetioEncoder;
import io.reactivenetio.api.SlowPolicy;
import io.reactivenetio.api.Tags;
import io.reactivenetio.testing.Eventually;
import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.exceptions.NetioStreamException;
import io.reactivenetio.transport.exceptions.StreamError;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;

/** Shared sources of batches. */
@Timeout(60)
class BatchPublishTest {
    private static final int MANY = 20_000;
    private static final NetioCodec<Long> NUMBERS = NetioCodec.ofSize(Long.BYTES, (value, target) -> target.putLong(value),
            ByteBuffer::getLong);

    private final NetioLoops loops = NetioLoops.create("batches", 2);
    private final NetioPublisher publisher = NetioPublisher.create();
    private final List<NetioConnection> accepted = new CopyOnWriteArrayList<>();
    private final List<DisposableServer> servers = new ArrayList<>();

    @AfterEach
    void stop() {
        servers.forEach(DisposableServer::dispose);
        accepted.forEach(NetioConnection::dispose);
        publisher.dispose();
        loops.dispose();
    }

    private NetioSubscriber subscriber(NetioPublisher of) {
        DisposableServer server = of.serve(NetioServer.create().backend(BackendType.TCP).runOn(loops))
                .doOnConnection(accepted::add).bindNow();
        servers.add(server);
        return NetioSubscriber.create(NetioClient.create().backend(BackendType.TCP).runOn(loops).port(server.port()));
    }

    /** Of all sizes from 0 to 700. */
    private static Flux<List<Long>> batches(int count) {
        List<List<Long>> batches = new ArrayList<>();
        for (long from = 0; from < count; from += batches.getLast().size()) {
            long end = Math.min(count, from + batches.size() * 37 % 701);
            batches.add(LongStream.range(from, end).boxed().toList());
        }
        return Flux.fromIterable(batches);
    }

    private static List<Long> got(Flux<Long> values) {
        return values.collectList().block(PATIENCE);
    }

    private static void assertFailed(Flux<Long> values, int before, String text) {
        List<Long> got = Collections.synchronizedList(new ArrayList<>());
        StepVerifier.create(values.doOnNext(got::add).then()).expectErrorSatisfies(error -> assertThat(error)
                .isInstanceOf(NetioStreamException.class).hasMessageContaining(text)
                .extracting(failure -> ((NetioStreamException) failure).error()).isEqualTo(StreamError.SOURCE_FAILED))
                .verify(PATIENCE);
        assertThat(got).isEqualTo(Numbers.upTo(before));
    }

    @Test
    void shouldPublishEachValueInOrder() {
        publisher.publishBatches(1, batches(MANY), NUMBERS)
                .publishBatches(2, batches(MANY).publishOn(Schedulers.parallel(), 2), NUMBERS)
                .publishBatches(3, batches(MANY).subscribeOn(Schedulers.single()), NUMBERS)
                .publishBatches(Tags.range(4, 5), batches(MANY), value -> 4 + value % 2, NUMBERS);
        NetioSubscriber subscriber = subscriber(publisher);
        for (long tag = 1; tag <= 3; tag++) {
            assertThat(got(subscriber.subscribe(NUMBERS, tag))).as("tag %d", tag).isEqualTo(Numbers.upTo(MANY));
        }
        assertThat(subscriber.subscribe((tag, status, message) -> {
            assertThat(tag).isEqualTo(4 + message.getLong(0) % 2);
            return message.getLong();
        }, Tags.range(4, 5)).collectList().block(PATIENCE)).isEqualTo(Numbers.upTo(MANY));
        assertThat(publisher.statistics().published()).isEqualTo(4L * MANY);
        assertThat(publisher.statistics().undelivered()).isZero();
    }

    @Test
    void shouldNumberTheMessages() {
        publisher.publishBatches(1, batches(1_000), NUMBERS);
        List<Long> numbers = subscriber(publisher).subscribeSequenced(Tags.of(1)).cast(SequencedMessage.class)
                .map(SequencedMessage::sequence).collectList().block(PATIENCE);
        assertThat(numbers).isEqualTo(Numbers.upTo(1_000));
    }

    @Test
    void shouldShareABatchAmongSubscribersAtThePaceOfTheSlowest() {
        AtomicInteger asked = new AtomicInteger();
        Flux<List<Long>> source = Flux.<List<Long>, Long>generate(() -> 0L, (from, sink) -> {
            asked.incrementAndGet();
            sink.next(LongStream.range(from, from + 1_000).boxed().toList());
            return from + 1_000;
        }).publishOn(Schedulers.parallel(), 1);
        publisher.publishBatches(1, source, NUMBERS);
        NetioSubscriber subscriber = subscriber(publisher);
        AtomicLong fast = new AtomicLong();
        StepVerifier.create(subscriber.subscribe(NUMBERS, 1), 0).thenRequest(10).expectNextCount(10).then(() -> {
            subscriber.subscribe(NUMBERS, 1).subscribe(value -> fast.incrementAndGet());
            Eventually.still(fast::get);
            assertThat(fast.get()).isLessThan(1_000);
            assertThat(asked.get()).isLessThan(12);
        }).thenRequest(5_000).expectNextCount(5_000).thenCancel().verify(PATIENCE);
        Eventually.await(fast + " values", () -> fast.get() > 5_000);
    }

    @Test
    void shouldDropOfBatchesWhatThePolicySays() {
        NetioPublisher dropping = NetioPublisher.create(SlowPolicy.DROP_OLDEST, 64).publishBatches(1, batches(MANY), NUMBERS);
        NetioSubscriber subscriber = subscriber(dropping);
        List<Long> got = got(subscriber.subscribe(NUMBERS, 1).limitRate(10));
        assertThat(got).isSorted().doesNotHaveDuplicates().contains(MANY - 1L);
        assertThat(got.size() + subscriber.statistics().dropped()).isEqualTo(MANY);
        dropping.dispose();
    }

    @Test
    void shouldPublishWhatComesBeforeAFailure() {
        Flux<List<Long>> hundred = batches(100);
        NetioEncoder<Long> fails = new NetioEncoder<>() {
            @Override
            public int size(Long value) {
                return Long.BYTES;
            }

            @Override
            public void encode(Long value, ByteBuffer target) {
                if (value == 57) {
                    throw new IllegalArgumentException("no such number");
                }
                target.putLong(value);
            }
        };
        publisher.publishBatches(1, hundred.concatWith(Flux.error(new IOException("broken"))), NUMBERS)
                .publishBatches(2, hundred, fails)
                .publishBatches(3, hundred.concatWithValues(Arrays.asList(100L, null, 102L)), NUMBERS)
                .publishBatches(4, Flux.<Iterable<Long>>just(() -> LongStream.range(0, 10).mapToObj(n -> {
                    if (n == 7) {
                        throw new IllegalStateException("no seventh");
                    }
                    return n;
                }).iterator()), NUMBERS)
                .publishBatches(5, Flux.<Iterable<Long>>just(() -> null), NUMBERS)
                .publishBatches(Tags.of(6), hundred, value -> value == 3 ? 7 : 6, NUMBERS)
                .publishBatches(7, subscriber -> {
                    throw new IllegalStateException("no subscribers");
                }, NUMBERS);
        NetioSubscriber subscriber = subscriber(publisher);
        assertFailed(subscriber.subscribe(NUMBERS, 1), 100, "broken");
        assertFailed(subscriber.subscribe(NUMBERS, 2), 57, "no such number");
        assertFailed(subscriber.subscribe(NUMBERS, 3), 101, "null");
        assertFailed(subscriber.subscribe(NUMBERS, 4), 7, "no seventh");
        assertFailed(subscriber.subscribe(NUMBERS, 5), 0, "NullPointerException");
        assertFailed(subscriber.subscribe(NUMBERS, 6), 3, "tag 7");
        assertFailed(subscriber.subscribe(NUMBERS, 7), 0, "no subscribers");
    }

    @Test
    void shouldCancelItsSourceOnce() {
        AtomicInteger cancelled = new AtomicInteger();
        publisher.publishBatches(1, Flux.<List<Long>>generate(sink -> sink.next(List.of(1L, 2L, 3L)))
                .doOnCancel(cancelled::incrementAndGet), NUMBERS);
        StepVerifier.create(subscriber(publisher).subscribe(NUMBERS, 1).take(10)).expectNextCount(10).verifyComplete();
        assertThat(cancelled).as("it is for the next").hasValue(0);
        publisher.dispose();
        publisher.dispose();
        assertThat(cancelled).hasValue(1);
    }

    /** Its signals come on the loop, which has other things to do. */
    @Test
    void shouldServeOthersBesideASourceWithoutEnd() {
        publisher.publishBatches(1, Flux.<List<Long>>generate(sink -> sink.next(LongStream.range(0, 100).boxed().toList())),
                NUMBERS).publishEach(Tags.of(2), tag -> Flux.range(0, 1_000).map(n -> (long) n), NUMBERS);
        NetioSubscriber subscriber = subscriber(publisher);
        AtomicLong beside = new AtomicLong();
        subscriber.subscribe(NUMBERS, 1).subscribe(value -> beside.incrementAndGet());
        for (int round = 0; round < 5; round++) {
            assertThat(got(subscriber.subscribe(NUMBERS, 2))).isEqualTo(Numbers.upTo(1_000));
        }
        Eventually.await("others", () -> beside.get() > MANY);
    }
}
