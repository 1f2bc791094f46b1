// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import static io.reactivenetio.testing.TestSettings.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivenetio.api.EndSignal;
import io.reactivenetio.api.NetioEncoder;
import io.reactivenetio.api.NetioStream;
import io.reactivenetio.testing.Eventually;
import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.SendCompletion;
import io.reactivenetio.transport.exceptions.MessageTooLargeException;
import io.reactivenetio.transport.exceptions.NetioAbortedException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.IntStream;
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

/** Values that an encoder writes, on their way over a connection. */
@Timeout(180)
class TypedSendTest extends TwoEnds {
    private static final int SIZE = 4096;
    private static final int BUFFERS = 32;
    private static final int COUNT = 3_000;

    /** A number, and how many bytes its message has. */
    private record Value(int number, int bytes) {
    }

    private record Hit(long time, int channel, short charge) {
    }

    /** Writes the number of a value all over its message, and notes which memory it writes to. */
    private static final class Numbering implements NetioCodec<Value> {
        private final Set<Integer> memories = ConcurrentHashMap.newKeySet();
        private volatile int lastCapacity;

        @Override
        public int size(Value value) {
            return value.bytes;
        }

        @Override
        public void encode(Value value, ByteBuffer target) {
            assertThat(target.position()).isZero();
            assertThat(target.remaining()).isEqualTo(value.bytes);
            memories.add(System.identityHashCode(target.array()));
            lastCapacity = target.array().length;
            for (int i = 0; i < value.bytes; i++) {
                target.put((byte) (value.number + i));
            }
        }

        @Override
        public Value decode(ByteBuffer message) {
            int bytes = message.remaining();
            byte first = bytes == 0 ? 0 : message.get(0);
            for (int i = 0; i < bytes; i++) {
                if (message.get() != (byte) (first + i)) {
                    throw new AssertionError("byte " + i + " of " + bytes + " behind " + first + " is of another message");
                }
            }
            return new Value(first, bytes);
        }
    }

    private static Value seen(Value sent) {
        return new Value(sent.bytes == 0 ? 0 : (byte) sent.number, sent.bytes);
    }

    private void connect(BackendType backend, FramingKind framing) {
        connect(backend, framing, ByteOrder.BIG_ENDIAN);
    }

    private void connect(BackendType backend, FramingKind framing, ByteOrder order) {
        connect(backend, accepting -> accepting.framing(framing.framing()).byteOrder(order).receiveBuffers(SIZE, BUFFERS)
                .sendBuffers(SIZE, BUFFERS), connecting -> connecting.framing(framing.framing()).byteOrder(order)
                .receiveBuffers(SIZE, BUFFERS).sendBuffers(SIZE, BUFFERS));
    }

    /** Values of many sizes, as large as the framing takes, or with STREAM several pages. */
    private static List<Value> values(FramingKind framing) {
        int largest = framing == FramingKind.STREAM ? 5 * SIZE : framing == FramingKind.PAGE ? SIZE - 12 : SIZE;
        Random random = new Random(7);
        return IntStream.range(0, COUNT).mapToObj(i -> new Value(i, i % 100 == 0 ? largest
                : random.nextInt(4) == 0 ? random.nextInt(largest + 1) : random.nextInt(65))).toList();
    }

    @ParameterizedTest
    @CsvSource({"TCP, RAW", "TCP, PAGE", "TCP, STREAM", "LIBFABRIC, RAW", "LIBFABRIC, PAGE", "LIBFABRIC, STREAM"})
    void shouldCopyEachMessageBeforeTheNextIsWritten(BackendType backend, FramingKind framing) {
        connect(backend, framing);
        List<Value> values = values(framing);
        List<Flux<Value>> sources = List.of(Flux.fromIterable(values),
                Flux.fromIterable(values).publishOn(Schedulers.parallel()),
                Flux.fromIterable(values).subscribeOn(Schedulers.boundedElastic()),
                Flux.fromIterable(values).publishOn(client.scheduler(), 7),
                Flux.fromIterable(values).flatMapSequential(value -> Mono.just(value).publishOn(Schedulers.parallel()), 4));
        Numbering codec = new Numbering();
        CompletableFuture<List<Value>> received = new CompletableFuture<>();
        server.receive(codec).buffer(COUNT * sources.size()) // take(n) would cancel, perhaps before the last source completes
                .subscribe(received::complete, received::completeExceptionally);
        for (Flux<Value> source : sources) {
            codec.memories.clear();
            client.send(source, codec).block(PATIENCE);
            assertThat(codec.memories.size()).as("as it grows").isLessThan(12);
        }
        List<Value> expected = new ArrayList<>();
        sources.forEach(source -> values.forEach(value -> expected.add(seen(value))));
        assertThat(received.orTimeout(60, TimeUnit.SECONDS).join()).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({"RAW, BIG_ENDIAN", "PAGE, BIG_ENDIAN", "STREAM, BIG_ENDIAN", "RAW, LITTLE_ENDIAN", "PAGE, LITTLE_ENDIAN",
        "STREAM, LITTLE_ENDIAN"})
    void shouldWriteInTheByteOrderOfTheTransport(FramingKind framing, String name) {
        ByteOrder order = name.equals("BIG_ENDIAN") ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN;
        connect(BackendType.TCP, framing, order);
        List<Hit> hits = IntStream.range(0, 100).mapToObj(i -> new Hit(i, -i, (short) i)).toList();
        NetioCodec<Hit> codec = NetioCodec.ofRecord(Hit.class);
        NetioEncoder<Hit> turning = new NetioEncoder<>() { // leaves the buffer in another order each time
            @Override
            public int size(Hit hit) {
                return codec.size(hit);
            }

            @Override
            public void encode(Hit hit, ByteBuffer target) {
                assertThat(target.order()).isEqualTo(order);
                codec.encode(hit, target);
                target.order(ByteOrder.nativeOrder()).order(order == ByteOrder.BIG_ENDIAN ? ByteOrder.LITTLE_ENDIAN
                        : ByteOrder.BIG_ENDIAN);
            }
        };
        CompletableFuture<List<ByteBuffer>> received = server.receive().take(hits.size()).collectList().toFuture();
        client.completion(SendCompletion.TRANSMITTED).send(Flux.fromIterable(hits), turning).block(PATIENCE);
        List<ByteBuffer> messages = received.orTimeout(60, TimeUnit.SECONDS).join();
        assertThat(messages.get(5).order(order).getLong(0)).isEqualTo(5);
        assertThat(messages.stream().map(codec).toList()).isEqualTo(hits);
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldSendOnStreamsAndAnswer(BackendType backend) {
        connect(backend, FramingKind.STREAM, ByteOrder.LITTLE_ENDIAN);
        CompletableFuture<List<String>> received = server.stream(1).receive(NetioCodec.utf8()).collectList().toFuture();
        NetioStream stream = client.stream(1);
        stream.send(Flux.just("one", "", "three"), NetioCodec.utf8()).then(stream.completeOutbound()).block(PATIENCE);
        assertThat(received.orTimeout(60, TimeUnit.SECONDS).join()).containsExactly("one", "", "three");
        CompletableFuture<Object> number = server.stream(2).receive(ByteBuffer::getLong).next().cast(Object.class).toFuture();
        client.stream(2).completion(SendCompletion.TRANSMITTED).send(Mono.just(7L), NetioCodec.longs()).block(PATIENCE);
        assertThat(number.orTimeout(60, TimeUnit.SECONDS).join()).isEqualTo(7L);
    }

    @ParameterizedTest
    @EnumSource(FramingKind.class)
    void shouldSendMessagesWithoutAByte(FramingKind framing) {
        connect(BackendType.TCP, framing);
        CompletableFuture<List<Value>> received = server.receive(new Numbering()).take(3).collectList().toFuture();
        client.send(Flux.just(new Value(1, 0), new Value(2, 2), new Value(3, 0)), new Numbering()).block(PATIENCE);
        assertThat(received.orTimeout(60, TimeUnit.SECONDS).join()).containsExactly(new Value(0, 0), new Value(2, 2),
                new Value(0, 0));
    }

    @ParameterizedTest
    @EnumSource(value = FramingKind.class, names = {"RAW", "PAGE"})
    void shouldRefuseAMessageWithoutAByteWhereThatIsTheEnd(FramingKind framing) {
        connect(BackendType.TCP, accepting -> accepting.framing(framing.framing(EndSignal.EMPTY_MESSAGE)),
                connecting -> connecting.framing(framing.framing(EndSignal.EMPTY_MESSAGE)));
        server.receive().subscribe();
        assertThatThrownBy(() -> client.send(Flux.just("a", ""), NetioCodec.utf8()).block(PATIENCE))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("empty message ends the stream");
    }

    // ---- demand and cancel

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldAskTheUpstreamForExactlyWhatTheSubscriberAsksFor(BackendType backend) throws InterruptedException {
        connect(backend, accepting -> accepting.framing(Framing.stream().prefetch(0)), connecting -> connecting);
        AtomicLong asked = new AtomicLong();
        List<Long> received = new ArrayList<>();
        BaseSubscriber<Long> subscriber = new BaseSubscriber<>() {
            @Override
            protected void hookOnSubscribe(Subscription subscription) {
                request(5);
            }

            @Override
            protected void hookOnNext(Long value) {
                synchronized (received) {
                    received.add(value);
                }
            }
        };
        client.send(Flux.generate(() -> 0L, (next, sink) -> {
            sink.next(next);
            return next + 1;
        }).cast(Long.class).doOnRequest(asked::addAndGet), NetioCodec.longs()).subscribe(nothing -> { }, error -> { });
        server.receive(NetioCodec.longs()).subscribe(subscriber);
        Link.await(() -> size(received) == 5, () -> "received " + received);
        assertThat(Eventually.still(asked::get)).isEqualTo(5);
        subscriber.request(2);
        Link.await(() -> size(received) == 7, () -> "received " + received);
        assertThat(Eventually.still(asked::get)).isEqualTo(7);
        assertThat(received).isEqualTo(Numbers.upTo(7));
        subscriber.cancel();
    }

    private static int size(List<?> list) {
        synchronized (list) {
            return list.size();
        }
    }

    @ParameterizedTest
    @EnumSource(FramingKind.class)
    void shouldKeepTheConnectionWhenASendIsCancelled(FramingKind framing) {
        connect(BackendType.TCP, framing);
        Sinks.Many<Long> values = Sinks.many().unicast().onBackpressureBuffer();
        CompletableFuture<List<Long>> received = server.receive(NetioCodec.longs()).take(3).collectList().toFuture();
        CompletableFuture<Void> cancelled = new CompletableFuture<>();
        Disposable sending = client.send(values.asFlux().doOnCancel(() -> cancelled.complete(null)),
                NetioCodec.longs()).subscribe();
        values.tryEmitNext(1L).orThrow();
        Link.await(() -> server.statistics().receivedMessages() == 1, () -> "received");
        sending.dispose();
        cancelled.orTimeout(60, TimeUnit.SECONDS).join();
        client.send(Flux.just(2L, 3L), NetioCodec.longs()).block(PATIENCE);
        assertThat(received.orTimeout(60, TimeUnit.SECONDS).join()).containsExactly(1L, 2L, 3L);
    }

    /** Each subscription has memory of its own. */
    @ParameterizedTest
    @EnumSource(FramingKind.class)
    void shouldSendTheSameMonoManyTimesAtATime(FramingKind framing) {
        connect(BackendType.TCP, framing);
        int sends = 40;
        AtomicLong received = new AtomicLong();
        server.receive(new Numbering()).doOnNext(value -> received.incrementAndGet()).subscribe();
        Mono<Void> send = client.send(Flux.range(0, 500).map(i -> new Value(i, i % 700)).publishOn(Schedulers.parallel()),
                new Numbering());
        Flux.range(0, sends).flatMap(i -> send, sends).blockLast(PATIENCE);
        Link.await(() -> received.get() == 500L * sends, () -> "received " + received);
    }

    @ParameterizedTest
    @EnumSource(FramingKind.class)
    void shouldFailWhenThePeerGoes(FramingKind framing) {
        connect(BackendType.TCP, framing);
        server.receive(NetioCodec.longs()).take(1_000).subscribe(value -> { }, error -> { }, server::dispose);
        assertThatThrownBy(() -> client.send(Flux.generate(sink -> sink.next(1L)).cast(Long.class), NetioCodec.longs())
                .block(PATIENCE)).isInstanceOf(NetioAbortedException.class);
    }

    // ---- memory

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldLetGoOfTheMemoryOfALargeMessageWhenSmallOnesFollow(BackendType backend) {
        connect(backend, FramingKind.STREAM);
        Numbering codec = new Numbering();
        CompletableFuture<List<Value>> received = server.receive(new Numbering()).take(4).collectList().toFuture();
        List<Integer> capacities = new ArrayList<>();
        client.send(Flux.just(new Value(1, 3_000_000), new Value(2, 2_900_000), new Value(3, 8), new Value(4, 200_000))
                .doOnNext(value -> capacities.add(codec.lastCapacity)), codec).block(PATIENCE);
        capacities.add(codec.lastCapacity);
        assertThat(capacities).containsExactly(0, 3_000_000, 3_000_000, 256 * 1024, 256 * 1024);
        assertThat(received.orTimeout(60, TimeUnit.SECONDS).join()).containsExactly(new Value(1, 3_000_000),
                new Value(2, 2_900_000), new Value(3, 8), new Value(4, 200_000));
    }

    // ---- encoders that do wrong

    /** Says {@code size} and does {@code write} for messages below 0, and writes others as one byte. */
    private record Wrong(int size, Consumer<ByteBuffer> write) implements NetioEncoder<Integer> {
        @Override
        public int size(Integer value) {
            return value < 0 ? size : 1;
        }

        @Override
        public void encode(Integer value, ByteBuffer target) {
            if (value < 0) {
                write.accept(target);
            } else {
                target.put(value.byteValue());
            }
        }
    }

    private void shouldEndTheSend(FramingKind framing, NetioEncoder<Integer> encoder, Class<? extends Throwable> type,
            String... says) {
        connect(BackendType.TCP, framing);
        List<Byte> received = new ArrayList<>();
        server.<Byte>receive(ByteBuffer::get).subscribe(value -> {
            synchronized (received) {
                received.add(value);
            }
        }, error -> { });
        CompletableFuture<Void> cancelled = new CompletableFuture<>();
        for (boolean elsewhere : List.of(false, true)) {
            Flux<Integer> values = Flux.just(1, 2, -1, 3).concatWith(Flux.never());
            assertThatThrownBy(() -> client.send((elsewhere ? values.publishOn(Schedulers.parallel()) : values)
                    .doOnCancel(() -> cancelled.complete(null)), encoder).block(PATIENCE)).isInstanceOf(type).satisfies(error -> {
                        for (String text : says) {
                            assertThat(error).hasMessageContaining(text);
                        }
                    });
            cancelled.orTimeout(60, TimeUnit.SECONDS).join();
        }
        Link.await(() -> size(received) == 4, () -> "what came before: " + received);
        assertThat(received).containsExactly((byte) 1, (byte) 2, (byte) 1, (byte) 2);
        assertThat(client.isDisposed()).isFalse();
        assertThat(server.isDisposed()).isFalse();
    }

    private static final String NAME = Wrong.class.getName();

    @ParameterizedTest
    @EnumSource(FramingKind.class)
    void shouldNameAnEncoderThatWritesLessThanItSaid(FramingKind framing) {
        shouldEndTheSend(framing, new Wrong(8, target -> target.putInt(1)), IllegalStateException.class,
                NAME + " wrote 4 bytes of a message for which its size() had said 8:");
    }

    @ParameterizedTest
    @EnumSource(FramingKind.class)
    void shouldNameAnEncoderThatWritesMoreThanItSaid(FramingKind framing) {
        shouldEndTheSend(framing, new Wrong(10, target -> target.putLong(1).putLong(2)), IllegalStateException.class,
                NAME + " failed behind byte 8 of a message for which its size() had said 10 bytes");
    }

    @ParameterizedTest
    @EnumSource(FramingKind.class)
    void shouldNameAnEncoderThatWritesBehindTheLimit(FramingKind framing) {
        shouldEndTheSend(framing, new Wrong(10, target -> target.putLong(4, 1)), IllegalStateException.class,
                NAME + " failed behind byte 0 of a message for which its size() had said 10 bytes");
    }

    @ParameterizedTest
    @EnumSource(FramingKind.class)
    void shouldNameAnEncoderThatFlipsOrMovesTheLimit(FramingKind framing) {
        shouldEndTheSend(framing, new Wrong(8, target -> target.putLong(1).flip()), IllegalStateException.class,
                NAME + " wrote 0 bytes of a message for which its size() had said 8:");
        shouldEndTheSend(framing, new Wrong(8, target -> target.limit(target.capacity()).putLong(1).putLong(2)),
                IllegalStateException.class, NAME + " wrote 16 bytes of a message for which its size() had said 8:");
    }

    @ParameterizedTest
    @EnumSource(FramingKind.class)
    void shouldNameAnEncoderWithANegativeSize(FramingKind framing) {
        shouldEndTheSend(framing, new Wrong(-7, target -> { }), IllegalArgumentException.class,
                NAME + " says that a message has -7 bytes");
    }

    @ParameterizedTest
    @CsvSource({"RAW, 4097, 4096", "PAGE, 4085, 4084", "STREAM, 67108865, 67108864", "STREAM, 2147483647, 67108864"})
    void shouldNameAnEncoderWithASizeThatIsTooLarge(FramingKind framing, int size, int most) {
        shouldEndTheSend(framing, new Wrong(size, target -> {
            throw new AssertionError("it is too large to be written");
        }), MessageTooLargeException.class, NAME + " says that a message has " + size + " bytes; at most " + most);
    }

    @ParameterizedTest
    @EnumSource(FramingKind.class)
    void shouldFailWithWhatTheEncoderThrows(FramingKind framing) {
        shouldEndTheSend(framing, new Wrong(8, target -> {
            throw new UnsupportedOperationException("not this one");
        }), UnsupportedOperationException.class, "not this one");
    }

    // ---- decoders that do wrong

    @ParameterizedTest
    @EnumSource(FramingKind.class)
    void shouldEndTheReceiverWhoseDecoderThrowsOrReturnsNull(FramingKind framing) {
        connect(BackendType.TCP, framing);
        client.send(Flux.just("a", "b"), NetioCodec.utf8()).subscribe(nothing -> { }, error -> { });
        assertThatThrownBy(() -> server.receive(NetioCodec.longs()).blockLast(PATIENCE))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("a message of 1 bytes; a long has 8 bytes");
        connect(BackendType.TCP, framing);
        client.send(Flux.just("a", "b"), NetioCodec.utf8()).subscribe(nothing -> { }, error -> { });
        assertThatThrownBy(() -> server.receive(message -> null).blockLast(PATIENCE))
                .isInstanceOf(NullPointerException.class).hasMessageContaining("decoder returned null");
    }
}
