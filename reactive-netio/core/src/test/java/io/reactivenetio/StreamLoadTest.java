// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.transport.BackendType;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.test.StepVerifier;

/** Many streams on one connection, and large messages between them. */
@Timeout(120)
class StreamLoadTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int STREAMS = 1_000;
    private static final int MESSAGES = 200;
    private static final int DATA_PAGES = 16;

    private final NetioLoops loops = NetioLoops.create("load", 2);
    private NetioConnection client;
    private NetioConnection server;

    private void connect(BackendType backend) {
        CompletableFuture<NetioConnection> accepted = new CompletableFuture<>();
        DisposableServer listening = NetioServer.create().backend(backend).framing(Framing.STREAM)
                .receiveBuffers(16_384, DATA_PAGES).sendBuffers(16_384, DATA_PAGES).runOn(loops)
                .doOnConnection(accepted::complete).bindNow();
        client = NetioClient.create().backend(backend).framing(Framing.STREAM).receiveBuffers(16_384, DATA_PAGES)
                .sendBuffers(16_384, DATA_PAGES).runOn(loops).port(listening.port()).connectNow();
        server = accepted.orTimeout(10, TimeUnit.SECONDS).join();
        listening.dispose();
    }

    @AfterEach
    void stop() {
        if (client != null) {
            client.dispose();
            server.dispose();
        }
        loops.dispose();
    }

    private static Flux<ByteBuffer> messages(int count, int size) {
        return Flux.range(0, count).map(n -> ByteBuffer.allocate(size).putInt(0, n));
    }

    /** Half of the streams have a subscriber that asks for three messages and never again; the others get all of theirs. */
    @ParameterizedTest
    @EnumSource(BackendType.class)
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
            });
        }
        Flux<Long> lengths = Flux.range(0, STREAMS / 2)
                .flatMap(i -> client.stream(2L * i).receive(ByteBuffer::remaining).limitRate(16).count(), STREAMS / 2);
        StepVerifier.create(lengths.doOnNext(count -> assertThat(count).isEqualTo(MESSAGES)).count())
                .expectNext((long) STREAMS / 2).expectComplete().verify(PATIENCE);
        Link.await(() -> stalled.get() == 3L * STREAMS / 2, () -> stalled + " messages on streams that asked for 3");
        // every message that arrived was asked for, so none waits anywhere
        assertThat(client.statistics().heldBytes()).isZero();
        assertThat(client.statistics().receivedMessages()).isEqualTo(STREAMS / 2L * (MESSAGES + 3));
    }

    @ParameterizedTest
    @EnumSource(BackendType.class)
    void shouldPassSixtyFourMebibytesAmongSmallMessages(BackendType backend) {
        connect(backend);
        int most = 64 << 20;
        ByteBuffer large = ByteBuffer.allocate(most);
        for (int i = 0; i < most; i += 4) {
            large.putInt(i, i * 31);
        }
        NetioStream beside = server.stream(1);
        beside.send(messages(10_000, 100)).then(beside.completeOutbound()).subscribe(nothing -> { }, error -> { });
        server.send(Flux.just(large)).then(server.completeOutbound()).subscribe(nothing -> { }, error -> { });
        StepVerifier whole = StepVerifier.create(client.receive(StreamLoadTest::isLarge)).expectNext(true).expectComplete()
                .verifyLater();
        StepVerifier.create(client.stream(1).receive().count()).expectNext(10_000L).expectComplete().verify(PATIENCE);
        whole.verify(PATIENCE);
    }

    private static boolean isLarge(ByteBuffer message) {
        assertThat(message.remaining()).isEqualTo(64 << 20);
        for (int i = 0; i < message.limit(); i += 4) {
            if (Integer.reverseBytes(message.getInt(i)) != i * 31) {
                throw new AssertionError("at " + i);
            }
        }
        return true;
    }
}
