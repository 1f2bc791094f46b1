// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.api.LeasePolicy;
import io.reactivenetio.framing.page.PageProvider;
import io.reactivenetio.framing.raw.RawProvider;
import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.backend.BackendConfig;
import io.reactivenetio.transport.backend.ConnectionParameters;
import io.reactivenetio.transport.backend.Endpoint;
import io.reactivenetio.transport.backend.SendKind;
import java.net.InetSocketAddress;
import java.nio.ByteOrder;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The end of what is sent: said once, however often it is asked for, and every time done when the peer knows, and not before. */
@Timeout(60)
class CompleteOutboundTest {
    private static final int TAG = 7;

    private final EventLoop loop = EventLoop.create("complete");
    private final StubBackend backend = new StubBackend(4);

    @AfterEach
    void close() {
        loop.close();
    }

    static List<FramingProvider> framings() {
        return List.of(new RawProvider(true, false), new PageProvider(true, false, 0, 0));
    }

    private void turn() {
        for (int i = 0; i < 5; i++) {
            loop.poll();
        }
    }

    @ParameterizedTest
    @MethodSource("framings")
    void shouldSayTheEndOnce(FramingProvider framing) {
        turn();
        ConnectionConfig config = new ConnectionConfig(BackendType.TCP, BackendConfig.defaults(),
                ConnectionParameters.defaults().withSendBuffers(64, 4), framing, LeasePolicy.COPY, ByteOrder.BIG_ENDIAN);
        Connection engine = new Connection(new LoopResources(loop), backend,
                new Endpoint(new InetSocketAddress("127.0.0.1", 1), null, this), config, config.budget(), null, null);
        List<CompletableFuture<Void>> ends = Stream.generate(() -> engine.session().completeOutbound().toFuture())
                .limit(3).toList();
        turn();
        assertThat(backend.sent).hasSize(1);
        assertThat(ends).noneMatch(CompletableFuture::isDone);
        engine.onSendCompleted(engine.endpoint(), SendKind.BUFFERED, backend.sent.getFirst().key());
        turn();
        assertThat(ends).allMatch(end -> end.isDone() && !end.isCompletedExceptionally());
        CompletableFuture<Void> later = engine.session().completeOutbound().toFuture();
        turn();
        assertThat(later).isCompleted();
        assertThat(backend.sent).hasSize(1);
    }

    @Test
    void shouldSayTheEndOfAConnectionWithStreamsOnce() {
        try (StreamUnderTest world = new StreamUnderTest(4, 10)) {
            CompletableFuture<Void> first = world.session().completeOutbound().toFuture();
            world.turn();
            assertThat(world.sent()).containsExactly("COMPLETE 0 0", "PING 1");
            CompletableFuture<Void> second = world.session().completeOutbound().toFuture();
            CompletableFuture<Void> third = world.session().completeOutbound().toFuture();
            world.turn();
            assertThat(world.sent()).containsExactly("PING 2");
            assertThat(List.of(first, second, third)).noneMatch(CompletableFuture::isDone);
            world.receive(0, 0, page -> page.pong(1));
            assertThat(first).isCompleted();
            world.receive(0, 0, page -> page.pong(2));
            assertThat(List.of(second, third)).allMatch(end -> end.isDone() && !end.isCompletedExceptionally());
        }
    }

    /** There is no credit for its end, and the calls come before that is written, after, and when the peer knows. */
    @Test
    void shouldSayTheEndOfAStreamOnce() {
        try (StreamUnderTest world = new StreamUnderTest(4, 10)) {
            for (int i = 1; i <= StreamUnderTest.CONTROLS; i++) {
                int value = i;
                world.receive(0, 0, page -> page.ping(value));
            }
            world.complete();
            CompletableFuture<Void> before = world.session().completeOutbound(TAG).toFuture();
            world.turn();
            world.receive(0, 0, page -> StreamUnderTest.subscribe(page, 1, TAG, 1));
            CompletableFuture<Void> due = world.session().completeOutbound(TAG).toFuture();
            world.turn();
            world.sent();
            assertThat(List.of(before, due)).noneMatch(CompletableFuture::isDone);
            world.receive(0, StreamUnderTest.CONTROLS, page -> { });
            assertThat(world.sent()).containsExactly("COMPLETE 1 0", "PING 1");
            CompletableFuture<Void> after = world.session().completeOutbound(TAG).toFuture();
            world.turn();
            assertThat(world.sent()).containsExactly("PING 2");
            assertThat(List.of(before, due, after)).noneMatch(CompletableFuture::isDone);
            world.receive(0, 0, page -> page.pong(2));
            assertThat(List.of(before, due, after)).allMatch(end -> end.isDone() && !end.isCompletedExceptionally());
            CompletableFuture<Void> next = world.session().completeOutbound(TAG).toFuture();
            world.turn();
            assertThat(world.sent()).isEmpty();
            world.receive(0, 0, page -> StreamUnderTest.subscribe(page, 2, TAG, 1));
            assertThat(world.sent()).containsExactly("COMPLETE 2 0", "PING 3");
            world.receive(0, 0, page -> page.pong(3));
            assertThat(next).isCompleted();
        }
    }
}
