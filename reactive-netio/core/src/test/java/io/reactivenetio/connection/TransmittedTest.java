// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.api.LeasePolicy;
import io.reactivenetio.framing.page.PageProvider;
import io.reactivenetio.framing.raw.RawProvider;
import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.SendCompletion;
import io.reactivenetio.transport.backend.BackendConfig;
import io.reactivenetio.transport.backend.ConnectionParameters;
import io.reactivenetio.transport.backend.Endpoint;
import io.reactivenetio.transport.backend.SendKind;
import io.reactivenetio.transport.exceptions.NetioAbortedException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Flux;

/** TRANSMITTED, which every framing means alike: done with the last message's send, and what has not left is counted exactly. */
@Timeout(60)
class TransmittedTest {
    private static final int MESSAGES = 9;
    private static final int BUFFERS = 16;

    private final EventLoop loop = EventLoop.create("transmitted");
    private final StubBackend backend = new StubBackend(BUFFERS);

    @AfterEach
    void close() {
        loop.close();
    }

    static List<FramingProvider> framings() {
        return List.of(new RawProvider(false, false), new PageProvider(false, false, 0, 0));
    }

    private void turn() {
        for (int i = 0; i < 5; i++) {
            loop.poll();
        }
    }

    private Connection connection(FramingProvider framing) {
        turn();
        ConnectionConfig config = new ConnectionConfig(BackendType.TCP, BackendConfig.defaults(),
                ConnectionParameters.defaults().withSendBuffers(64, BUFFERS), framing, LeasePolicy.COPY, ByteOrder.BIG_ENDIAN);
        return new Connection(new LoopResources(loop), backend, new Endpoint(new InetSocketAddress("127.0.0.1", 1), null, this),
                config, config.budget(), null, null);
    }

    private static Flux<ByteBuffer> messages(int size) {
        return Flux.range(0, MESSAGES).map(n -> ByteBuffer.allocate(size));
    }

    private static CompletableFuture<Void> send(Connection engine, Flux<ByteBuffer> messages) {
        return engine.session().send(messages, SendCompletion.TRANSMITTED).toFuture();
    }

    @ParameterizedTest
    @MethodSource("framings")
    void shouldCompleteWithTheSendOfTheLastMessage(FramingProvider framing) {
        Connection engine = connection(framing);
        CompletableFuture<Void> done = send(engine, messages(8));
        turn();
        for (int i = 0; i < backend.sent.size(); i++) {
            assertThat(done).isNotDone();
            engine.onSendCompleted(engine.endpoint(), SendKind.BUFFERED, backend.sent.get(i).key());
            turn();
        }
        assertThat(done).isCompleted();
    }

    @ParameterizedTest
    @MethodSource("framings")
    void shouldCountWhatHasNotLeft(FramingProvider framing) {
        Connection engine = connection(framing);
        CompletableFuture<Void> done = send(engine, messages(8).concatWith(Flux.never()));
        turn();
        int left = 0;
        for (int i = 0; i < backend.sent.size() - 1; i++) {
            left += framing instanceof RawProvider ? 1 : 4; // as many as fit a page
            engine.onSendCompleted(engine.endpoint(), SendKind.BUFFERED, backend.sent.get(i).key());
        }
        turn();
        engine.onConnectionClosed(engine.endpoint(), List.of(), null);
        assertThat(((NetioAbortedException) done.exceptionNow()).unsent()).isEqualTo(MESSAGES - left).isEqualTo(1);
    }

    /** Of 400 bytes, two of which fit a page. */
    private static Flux<ByteBuffer> halfPages() {
        return messages(400);
    }

    @Test
    void shouldCompleteAStreamsSendWithThePageOfTheLastMessage() {
        try (StreamUnderTest world = new StreamUnderTest(100, 10)) {
            CompletableFuture<Void> done = send(world.engine(), halfPages());
            CompletableFuture<Void> nothing = send(world.engine(), Flux.empty());
            world.receive(0, 0, page -> page.request(0, MESSAGES));
            assertThat(nothing).isCompleted();
            assertThat(world.pagesUnderWay()).isEqualTo((MESSAGES + 1) / 2);
            for (int i = 0; i < (MESSAGES + 1) / 2; i++) {
                assertThat(done).as("page %d", i).isNotDone();
                world.complete(1);
            }
            assertThat(done).isCompleted();
            assertThat(world.failures).isEmpty();
        }
    }

    @Test
    void shouldCountWhatOfAStreamHasNotLeft() {
        for (int left = 0; left <= (MESSAGES + 1) / 2; left++) {
            try (StreamUnderTest world = new StreamUnderTest(100, 10)) {
                CompletableFuture<Void> done = send(world.engine(), halfPages().concatWith(Flux.never()));
                world.receive(0, 0, page -> page.request(0, MESSAGES));
                world.complete(left);
                world.end();
                assertThat(((NetioAbortedException) done.exceptionNow()).unsent()).as("%d pages left", left)
                        .isEqualTo(Math.max(0, MESSAGES - 2 * left));
            }
        }
    }

    /** A message that has left in parts but for the last has not. */
    @Test
    void shouldCountAMessageWhoseLastPartHasNotLeft() {
        try (StreamUnderTest world = new StreamUnderTest(3, 10)) {
            CompletableFuture<Void> done = send(world.engine(), Flux.just(ByteBuffer.allocate(1), ByteBuffer.allocate(9_000))
                    .concatWith(Flux.never()));
            world.receive(0, 0, page -> page.request(0, 100));
            assertThat(world.pagesUnderWay()).isEqualTo(3);
            world.complete();
            world.end();
            assertThat(((NetioAbortedException) done.exceptionNow()).unsent()).isEqualTo(1);
            assertThat(done.exceptionNow()).hasMessageContaining("1 message not known to be transmitted");
        }
    }
}
