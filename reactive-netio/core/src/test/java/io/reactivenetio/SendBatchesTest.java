// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import static io.reactivenetio.testing.TestSettings.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivenetio.api.NetioEncoder;
import io.reactivenetio.api.NetioStream;
import io.reactivenetio.testing.Eventually;
import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.exceptions.MessageTooLargeException;
import io.reactivenetio.transport.exceptions.NetioAbortedException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.reactivestreams.Subscription;
import reactor.core.Disposable;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;

/** Batches of values, of which each is a message. */
@Timeout(120)
class SendBatchesTest extends TwoEnds {
    private static final int SIZE = 4096;
    private static final NetioEncoder<Integer> NUMBERS = NetioEncoder.ofSize(Integer.BYTES,
            (value, target) -> target.putInt(value));

    /** A number with as many bytes behind it as the number says, up to {@code most}. */
    private static NetioEncoder<Integer> upTo(int most) {
        return new NetioEncoder<>() {
            @Override
            public int size(Integer value) {
                return Integer.BYTES + value * 31 % most;
            }

            @Override
            public void encode(Integer value, ByteBuffer target) {
                target.putInt(value);
                while (target.hasRemaining()) {
                    target.put(value.byteValue());
                }
            }
        };
    }

    private static int number(ByteBuffer message) {
        int number = message.getInt();
        while (message.hasRemaining()) {
            assertThat(message.get()).isEqualTo((byte) number);
        }
        return number;
    }

    private void connect(BackendType backend, FramingKind framing) {
        connect(backend, accepting -> accepting.framing(framing.framing()).receiveBuffers(SIZE, 16).sendBuffers(SIZE, 16),
                connecting -> connecting.framing(framing.framing()).receiveBuffers(SIZE, 16).sendBuffers(SIZE, 16));
    }

    private void connect() {
        connect(BackendType.TCP, FramingKind.STREAM);
    }

    /** Has the server receive, for good. */
    private Queue<Integer> received() {
        Queue<Integer> received = new ConcurrentLinkedQueue<>();
        server.receive(SendBatchesTest::number).subscribe(received::add, error -> { });
        return received;
    }

    private static void assertArrived(Queue<Integer> received, List<Integer> expected) {
        Eventually.await(() -> received.size() >= expected.size(), () -> received.size() + " messages");
        assertThat(List.copyOf(received)).isEqualTo(expected);
        received.clear();
    }

    /** Numbers from 0 on in batches of 0 to {@code most} of them. */
    private static List<List<Integer>> batches(int batches, int most) {
        Random random = new Random(11);
        AtomicInteger next = new AtomicInteger();
        return IntStream.range(0, batches).mapToObj(i -> IntStream.range(0, random.nextInt(most + 1))
                .mapToObj(j -> next.getAndIncrement()).toList()).toList();
    }

    private static List<Integer> numbers(int number) {
        return IntStream.range(0, number).boxed().toList();
    }

    @ParameterizedTest
    @CsvSource({"TCP, RAW", "TCP, PAGE", "TCP, STREAM", "LIBFABRIC, RAW", "LIBFABRIC, PAGE", "LIBFABRIC, STREAM"})
    void shouldSendAllInOrder(BackendType backend, FramingKind framing) {
        connect(backend, framing);
        int largest = framing == FramingKind.STREAM ? 3 * SIZE : SIZE - 64;
        Queue<Integer> received = received();
        for (int most : new int[] {0, 1, 7, 3_000}) {
            List<List<Integer>> batches = batches(most > 1_000 ? 4 : 40, most);
            List<Integer> expected = batches.stream().flatMap(List::stream).toList();
            for (Flux<List<Integer>> source : List.of(Flux.fromIterable(batches),
                    Flux.fromIterable(batches).publishOn(Schedulers.parallel(), 1),
                    Flux.fromIterable(batches).subscribeOn(Schedulers.boundedElastic()), Flux.fromIterable(batches).hide(),
                    Flux.fromIterable(batches).concatMap(batch -> Mono.just(batch).publishOn(Schedulers.parallel())))) {
                client.sendBatches(source, upTo(most > 1_000 ? 100 : largest)).block(PATIENCE);
                assertArrived(received, expected);
            }
        }
    }

    /** The upstream ends with its one batch, of which most is sent later. */
    @Test
    void shouldSendWhatTheUpstreamLeavesBehind() {
        connect();
        Queue<Integer> received = received();
        client.sendBatches(Mono.just(numbers(100_000)), NUMBERS).block(PATIENCE);
        assertArrived(received, numbers(100_000));
    }

    /** The failure comes at once, while batches before it wait. */
    @ParameterizedTest
    @CsvSource({"TCP, RAW", "TCP, PAGE", "TCP, STREAM", "LIBFABRIC, RAW"})
    void shouldSendWhatCameBeforeTheUpstreamFailed(BackendType backend, FramingKind framing) {
        connect(backend, framing);
        Queue<Integer> received = received();
        List<List<Integer>> batches = batches(7, 2_000);
        Flux<List<Integer>> failing = Flux.fromIterable(batches).concatWith(Mono.error(new IllegalStateException("up")));
        assertThatThrownBy(() -> client.sendBatches(failing, NUMBERS).block(PATIENCE)).hasMessage("up");
        assertArrived(received, batches.stream().flatMap(List::stream).toList());
    }

    private enum Fault { NULL, ITERATOR, HAS_NEXT, NO_ITERATOR, ENCODER, TOO_LARGE, SHORT }

    private static Iterable<Integer> with(Fault fault, int at) {
        List<Integer> values = new ArrayList<>(numbers(at + 1_000));
        if (fault == Fault.NULL) {
            values.set(at, null);
        }
        return () -> {
            if (fault == Fault.NO_ITERATOR && at == 0) {
                throw new IllegalStateException("NO_ITERATOR");
            }
            Iterator<Integer> all = values.iterator();
            return new Iterator<>() {
                private int next;

                @Override
                public boolean hasNext() {
                    if (fault == Fault.HAS_NEXT && next == at) {
                        throw new IllegalStateException("HAS_NEXT");
                    }
                    return all.hasNext();
                }

                @Override
                public Integer next() {
                    if (fault == Fault.ITERATOR && next == at) {
                        throw new NoSuchElementException("ITERATOR");
                    }
                    next++;
                    return all.next();
                }
            };
        };
    }

    /** The connection goes on, the upstream is cancelled, and what was behind is discarded. */
    @ParameterizedTest
    @EnumSource(Fault.class)
    void shouldFailAtABadValueBehindThoseBeforeIt(Fault fault) {
        connect();
        int at = fault == Fault.NO_ITERATOR ? 0 : 300;
        NetioEncoder<Integer> encoder = new NetioEncoder<>() {
            @Override
            public int size(Integer value) {
                return value == at && fault == Fault.TOO_LARGE ? 1 << 30 : Integer.BYTES;
            }

            @Override
            public void encode(Integer value, ByteBuffer target) {
                if (value == at && fault == Fault.ENCODER) {
                    throw new IllegalStateException("ENCODER");
                }
                if (value != at || fault != Fault.SHORT) {
                    target.putInt(value);
                }
            }
        };
        Queue<Integer> received = received();
        ConcurrentLinkedQueue<Object> discarded = new ConcurrentLinkedQueue<>();
        AtomicInteger cancelled = new AtomicInteger();
        Flux<Iterable<Integer>> source = Flux.<Iterable<Integer>>just(with(fault, at), numbers(10)).concatWith(Flux.never())
                .doOnCancel(cancelled::incrementAndGet);
        assertThatThrownBy(() -> client.sendBatches(source, encoder).doOnDiscard(Integer.class, discarded::add).block(PATIENCE))
                .satisfies(error -> assertThat(error).isInstanceOf(switch (fault) {
                    case NULL -> NullPointerException.class;
                    case ITERATOR -> NoSuchElementException.class;
                    case TOO_LARGE -> MessageTooLargeException.class;
                    default -> IllegalStateException.class;
                }));
        client.sendBatches(Mono.just(List.of(-1)), NUMBERS).block(PATIENCE);
        List<Integer> expected = new ArrayList<>(numbers(at));
        expected.add(-1);
        assertArrived(received, expected);
        assertThat(cancelled).hasPositiveValue();
        assertThat(discarded).contains(0, 9);
    }

    /** Also if the upstream has ended before the bad value is found. */
    @Test
    void shouldFailAtABadValueThoughTheUpstreamHasEnded() {
        connect();
        received();
        assertThatThrownBy(() -> client.sendBatches(Mono.just(Arrays.asList(1, 2, null)), NUMBERS).block(PATIENCE))
                .isInstanceOf(NullPointerException.class);
    }

    @ParameterizedTest
    @EnumSource(value = FramingKind.class, names = {"PAGE", "STREAM"})
    void shouldTakeFewBatchesAheadOfTheReceiver(FramingKind framing) {
        connect(BackendType.TCP, framing);
        AtomicLong asked = new AtomicLong();
        AtomicInteger made = new AtomicInteger();
        Flux<List<Integer>> endless = Flux.<List<Integer>>generate(sink -> sink.next(numbers(100_000)))
                .doOnRequest(asked::addAndGet).doOnNext(batch -> made.incrementAndGet());
        Disposable sending = client.sendBatches(endless, upTo(2_000)).subscribe(done -> { }, error -> { });
        BaseSubscriber<Integer> slow = new BaseSubscriber<>() {
            @Override
            protected void hookOnSubscribe(Subscription subscription) {
                subscription.request(10);
            }
        };
        AtomicInteger received = new AtomicInteger();
        server.receive(SendBatchesTest::number).doOnNext(number -> received.incrementAndGet()).subscribe(slow);
        Eventually.await("ten arrive", () -> received.get() == 10);
        assertThat(made.get()).isBetween(1, 4);
        assertThat(asked.get()).isEqualTo(4);
        sending.dispose();
        slow.cancel();
    }

    @Test
    void shouldLetOthersSendBesideAnEndlessBatch() {
        connect();
        Iterable<Integer> endless = () -> IntStream.iterate(0, i -> i + 1).iterator();
        Disposable received = server.receive().subscribe();
        Disposable sending = client.sendBatches(Mono.just(endless), NUMBERS).subscribe();
        for (int i = 0; i < 100; i++) {
            client.send(Flux.range(0, 50), NUMBERS).block(PATIENCE);
            client.sendBatches(Flux.just(numbers(20), numbers(20)), NUMBERS).block(PATIENCE);
        }
        assertThat(sending.isDisposed()).isFalse();
        sending.dispose();
        client.send(Flux.range(0, 50), NUMBERS).block(PATIENCE);
        received.dispose();
    }

    /** Each value is written or discarded, whenever the cancel comes. */
    @Test
    void shouldDiscardWhatIsNotSentWhenItIsCancelled() {
        connect();
        for (int i = 0; i < 100; i++) {
            AtomicInteger cancelled = new AtomicInteger();
            AtomicInteger discarded = new AtomicInteger();
            AtomicInteger written = new AtomicInteger();
            Sinks.Many<List<Integer>> sink = Sinks.many().unicast().onBackpressureBuffer();
            Disposable sending = client.sendBatches(sink.asFlux().doOnCancel(cancelled::incrementAndGet).hide(),
                    NetioEncoder.<Integer>ofSize(4, (value, target) -> {
                        written.incrementAndGet();
                        target.putInt(value);
                    })).doOnDiscard(Integer.class, value -> discarded.incrementAndGet())
                    .doOnDiscard(List.class, batch -> discarded.addAndGet(batch.size())).subscribe();
            sink.tryEmitNext(numbers(20_000)).orThrow();
            sink.tryEmitNext(numbers(3)).orThrow();
            if (i % 2 == 0) {
                client.scheduler().schedule(sending::dispose);
            } else {
                sending.dispose();
            }
            Eventually.await("the source is cancelled", () -> cancelled.get() == 1);
            Eventually.await(() -> written.get() + discarded.get() == 20_003,
                    () -> written + " values written, " + discarded + " discarded");
            if (i == 50) {
                received();
            }
        }
    }

    @Test
    void shouldFailWhenTheConnectionEnds() {
        connect();
        AtomicInteger received = new AtomicInteger();
        Disposable receiving = server.receive().subscribe(message -> received.incrementAndGet());
        AtomicInteger cancelled = new AtomicInteger();
        Flux<List<Integer>> endless = Flux.<List<Integer>>generate(sink -> sink.next(numbers(1_000)))
                .doOnCancel(cancelled::incrementAndGet);
        CompletableFuture<Void> sent = client.sendBatches(endless, NUMBERS).toFuture();
        Eventually.await("messages arrive", () -> received.get() > 10_000);
        server.dispose();
        assertThatThrownBy(() -> sent.orTimeout(60, TimeUnit.SECONDS).join()).hasCauseInstanceOf(NetioAbortedException.class);
        assertThat(cancelled).hasValue(1);
        receiving.dispose();
    }

    @Test
    void shouldEndTheConnectionFromWithinAnEncoder() {
        connect();
        Disposable received = server.receive().subscribe();
        NetioEncoder<Integer> ending = NetioEncoder.ofSize(4, (value, target) -> {
            if (value == 500) {
                client.dispose();
            }
            target.putInt(value);
        });
        assertThatThrownBy(() -> client.sendBatches(Flux.just(numbers(10_000)).repeat(), ending).block(PATIENCE))
                .isInstanceOf(NetioAbortedException.class);
        received.dispose();
    }

    @Test
    void shouldEndWithTheReceiverOfItsStream() {
        connect();
        NetioStream in = server.stream(5);
        NetioStream out = client.stream(5);
        AtomicInteger cancelled = new AtomicInteger();
        Flux<List<Integer>> endless = Flux.<List<Integer>>generate(sink -> sink.next(numbers(1_000)))
                .doOnCancel(cancelled::incrementAndGet).subscribeOn(Schedulers.parallel());
        CompletableFuture<Void> sent = out.sendBatches(endless, NUMBERS).toFuture();
        assertThat(in.receive(ByteBuffer::getInt).take(2_500).count().block(PATIENCE)).isEqualTo(2_500);
        assertThatThrownBy(() -> sent.orTimeout(60, TimeUnit.SECONDS).join()).hasCauseInstanceOf(NetioAbortedException.class);
        Eventually.await("the source is cancelled", () -> cancelled.get() == 1);
    }

    /** What an upstream does that keeps to no rule. */
    @Test
    void shouldRefuseMoreBatchesThanItAskedFor() {
        connect();
        received();
        assertThatThrownBy(() -> client.sendBatches(subscriber -> subscriber.onSubscribe(new Subscription() {
            private boolean isAsked;

            @Override
            public void request(long n) {
                if (!isAsked) {
                    isAsked = true;
                    for (int i = 0; i < 100; i++) {
                        subscriber.onNext(numbers(10));
                    }
                    subscriber.onComplete();
                    subscriber.onComplete();
                }
            }

            @Override
            public void cancel() {
            }
        }), NUMBERS).block(PATIENCE)).hasMessageContaining("§1.1");
    }
}
