// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import static io.reactivenetio.connection.ConnectionProbe.engine;
import static io.reactivenetio.testing.TestSettings.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivenetio.api.NetioOutbound;
import io.reactivenetio.api.NetioStream;
import io.reactivenetio.framing.stream.StreamProbe;
import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.exceptions.MessageTooLargeException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Sinks;
import reactor.test.StepVerifier;

/** Many streams on one connection, and large messages between them. */
@Timeout(180)
class StreamLoadTest extends TwoEnds {
    private static final int STREAMS = 1_000;
    private static final int MESSAGES = 200;
    private static final int DATA_PAGES = 16;
    private static final int MOST = 64 << 20;
    /** Of a stream. */
    private static final int SLICES = 4;

    private void connect(BackendType backend) {
        connect(backend, c -> c);
    }

    private void connect(BackendType backend, UnaryOperator<NetioClient> options) {
        connect(backend, 16_384, DATA_PAGES, options);
    }

    private static Flux<ByteBuffer> messages(int count, int size) {
        return Flux.range(0, count).map(n -> ByteBuffer.allocate(size).putInt(0, n));
    }

    /** Half of the streams have a subscriber that asks for three messages and never again; the others get all of theirs. */
    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldServeStreamsBesideStalledOnes(BackendType backend) {
        connect(backend);
        for (long tag = 0; tag < STREAMS; tag++) {
            NetioStream stream = server.stream(tag);
            stream.send(messages(MESSAGES, 64)).then(stream.completeOutbound()).subscribe(nothing -> { }, error -> { });
        }
        AtomicLong stalled = new AtomicLong();
        for (long tag = 1; tag < STREAMS; tag += 2) {
            client.stream(tag).receive().subscribe(new BaseSubscriber<>() {
                @Override
                protected void hookOnSubscribe(Subscription subscription) {
                    request(3);
                }

                @Override
                protected void hookOnNext(ByteBuffer value) {
                    stalled.incrementAndGet();
                }

                @Override
                protected void hookOnError(Throwable throwable) {
                    // ends with its connection
                }
            });
        }
        Flux<Long> lengths = Flux.range(0, STREAMS / 2)
                .flatMap(i -> client.stream(2L * i).receive(ByteBuffer::remaining).limitRate(16).count(), STREAMS / 2);
        StepVerifier.create(lengths.doOnNext(count -> assertThat(count).isEqualTo(MESSAGES)).count())
                .expectNext((long) STREAMS / 2).expectComplete().verify(PATIENCE);
        Link.await(() -> stalled.get() == 3L * STREAMS / 2, () -> stalled + " messages on streams that asked for 3");
        // every message that arrived was asked for, so none waits anywhere
        Link.await(() -> client.statistics().heldBytes() == 0, () -> client.statistics().toString());
        Link.await(() -> client.statistics().receivedMessages() == STREAMS / 2L * (MESSAGES + 3), // counted when delivered
                () -> client.statistics().toString());
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldPassSixtyFourMebibytesAmongSmallMessages(BackendType backend) {
        connect(backend);
        ByteBuffer large = ByteBuffer.allocate(MOST);
        for (int i = 0; i < MOST; i += 4) {
            large.putInt(i, i * 31);
        }
        NetioStream beside = server.stream(1);
        beside.send(messages(10_000, 100)).then(beside.completeOutbound()).subscribe(nothing -> { }, error -> { });
        server.send(Flux.just(large)).then(server.completeOutbound()).subscribe(nothing -> { }, error -> { });
        CompletableFuture<Boolean> whole = client.receive(StreamLoadTest::isLarge).single().toFuture();
        assertThat(client.stream(1).receive().count().block(PATIENCE)).isEqualTo(10_000);
        assertThat(whole).succeedsWithin(PATIENCE).isEqualTo(true);
    }

    private static boolean isLarge(ByteBuffer message) {
        assertThat(message.remaining()).isEqualTo(MOST);
        for (int i = 0; i < message.limit(); i += 4) {
            if (message.getInt(i) != i * 31) {
                throw new AssertionError("at " + i);
            }
        }
        return true;
    }

    /** 1,000 streams open at a time, messages from 0 bytes to 64 MiB on them, and a peer with room for one of the latter. */
    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldKeepToTheReassemblyBudgetWithAThousandStreams(BackendType backend) {
        connect(backend, c -> c.framing(Framing.stream().maxMessageSize(MOST).reassemblyBudget(MOST)));
        ByteBuffer content = ByteBuffer.allocate(MOST);
        new Random(6).nextBytes(content.array());
        AtomicInteger open = new AtomicInteger();
        Sinks.Empty<Void> begin = Sinks.empty();
        for (int tag = 0; tag < STREAMS; tag++) {
            int number = tag;
            AtomicBoolean asked = new AtomicBoolean();
            Flux<ByteBuffer> slices = Flux.range(0, SLICES).map(n -> slice(content, number, n));
            NetioStream stream = server.stream(tag);
            stream.send(begin.asMono().thenMany(slices).doOnRequest(n -> {
                if (!asked.getAndSet(true) && open.incrementAndGet() == STREAMS) {
                    begin.tryEmitEmpty();
                }
            })).then(stream.completeOutbound()).subscribe(nothing -> { }, error -> { });
        }
        AtomicLong mostUnfinished = new AtomicLong();
        Flux<Boolean> equal = Flux.range(0, STREAMS).flatMap(tag -> {
            AtomicInteger next = new AtomicInteger();
            return client.stream(tag).receive(message -> {
                mostUnfinished.accumulateAndGet(StreamProbe.unfinishedBytes(engine(client)), Math::max);
                return message.equals(slice(content, tag, next.getAndIncrement()));
            });
        }, STREAMS);
        assertThat(equal.doOnNext(same -> assertThat(same).isTrue()).count().block(PATIENCE)).isEqualTo((long) STREAMS * SLICES);
        assertThat(mostUnfinished.get()).isBetween(1L, (long) MOST);
        Link.await(() -> client.statistics().heldBytes() == 0, () -> client.statistics().toString());
    }

    /** The first is empty, the others have about a power of two bytes, and a few streams send one that is as large as can be. */
    private static ByteBuffer slice(ByteBuffer content, int stream, int number) {
        Random random = new Random(31L * stream + number);
        int about = Math.max(0, (1 << random.nextInt(18)) + random.nextInt(33) - 16);
        int size = number == 0 ? 0 : number == 1 && stream % 400 == 0 ? MOST : about;
        return content.slice(random.nextInt(MOST - size + 1), size);
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldRefuseOneByteMoreThanSixtyFourMebibytesBeforeAnythingIsSent(BackendType backend) {
        connect(backend);
        List<Integer> received = new CopyOnWriteArrayList<>();
        client.receive(ByteBuffer::remaining).subscribe(received::add, error -> { });
        client.stream(1).receive(ByteBuffer::remaining).subscribe(received::add, error -> { });
        for (NetioOutbound out : List.of(server, server.stream(1))) {
            assertThatThrownBy(() -> out.send(Flux.just(ByteBuffer.allocate(MOST + 1))).block(PATIENCE))
                    .isInstanceOf(MessageTooLargeException.class)
                    .hasMessage("a message of 67108865 bytes; the peer takes at most 67108864: send less, or raise maxMessageSize"
                            + " there");
        }
        assertThat(server.statistics().sentMessages()).isZero();
        server.send(Flux.just(ByteBuffer.allocate(5))).block(PATIENCE); // it would be refused in the middle of another
        server.stream(1).send(Flux.just(ByteBuffer.allocate(6))).block(PATIENCE);
        assertThat(received).containsExactly(5, 6);
    }
}
