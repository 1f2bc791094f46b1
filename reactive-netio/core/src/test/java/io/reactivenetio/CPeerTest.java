// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import static io.reactivenetio.testing.TestSettings.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.EndSignal;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.api.NetioInbound;
import io.reactivenetio.api.NetioOutbound;
import io.reactivenetio.testing.Eventually;
import io.reactivenetio.testing.TestSettings;
import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.exceptions.NetioAbortedException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Against raw_peer.c, a program of plain libfabric calls: what is on the wire is what any RDMA program understands. */
@Timeout(180)
class CPeerTest {
    private static final int MESSAGES = TestSettings.scaled(10_000);
    private static final int LARGEST = 61_440;

    @TempDir
    static Path directory;
    private static Path program;

    private NetioLoops loops;

    @BeforeAll
    static void compile() throws Exception {
        program = RawPeer.compile(directory);
    }

    @BeforeEach
    void start() {
        loops = NetioLoops.create("test", 2);
    }

    @AfterEach
    void stop() {
        loops.dispose();
    }

    private NetioServer server() {
        return NetioServer.create().backend(BackendType.LIBFABRIC).framing(Framing.raw().endSignal(EndSignal.EMPTY_MESSAGE))
                .runOn(loops);
    }

    private NetioConnection connect(RawPeer listener) {
        return NetioClient.create().backend(BackendType.LIBFABRIC).framing(Framing.raw().endSignal(EndSignal.EMPTY_MESSAGE))
                .runOn(loops).port(listener.port()).connectNow();
    }

    private static RawPeer peer(Object... options) throws IOException {
        return RawPeer.start(program, options);
    }

    /** Completes when everything has been received and was right. */
    private static Mono<Void> receive(NetioInbound in, RawMessages into) {
        return in.receive().doOnNext(into::accept).then();
    }

    /** Receives without copies, and completes when everything has been received and was right. */
    private static Mono<Void> receiveInPlace(NetioInbound in, RawMessages into) {
        return in.receive(buffer -> {
            into.accept(buffer);
            return true;
        }).then();
    }

    /** Completes when everything, and the end, has been delivered. */
    private static Mono<Void> send(NetioOutbound out, RawMessages from, long number) {
        return out.send(messages(from, number)).then(out.completeOutbound());
    }

    private static Flux<ByteBuffer> messages(RawMessages from, long number) {
        return Flux.generate(sink -> {
            if (from.count() == number) {
                sink.complete();
            } else {
                sink.next(from.next());
            }
        });
    }

    private static <T> T get(CompletableFuture<T> future) throws Exception {
        return future.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 64, 4096, LARGEST})
    void shouldReceiveFromAConnectingCProgram(int size) throws Exception {
        RawMessages received = new RawMessages(size);
        CompletableFuture<NetioConnection> accepted = new CompletableFuture<>();
        DisposableServer server = server().doOnConnection(accepted::complete).bindNow();
        try (RawPeer peer = peer("-P", server.port(), "-s", MESSAGES, "-m", size)) {
            NetioConnection connection = get(accepted);
            get(receive(connection, received).toFuture());
            assertThat(peer.result()).containsExactly("sent " + received);
            assertThat(received.count()).isEqualTo(MESSAGES);
            assertThat(connection.statistics().receivedBytes()).isEqualTo((long) MESSAGES * size);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 64, 4096, LARGEST})
    void shouldReceiveInPlaceFromAListeningCProgram(int size) throws Exception {
        RawMessages received = new RawMessages(size);
        try (RawPeer peer = peer("-l", "-s", MESSAGES, "-m", size)) {
            NetioConnection connection = connect(peer);
            get(receiveInPlace(connection, received).toFuture());
            assertThat(peer.result()).containsExactly("sent " + received);
            assertThat(received.count()).isEqualTo(MESSAGES);
            get(connection.onDispose().toFuture());
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 64, 4096, LARGEST})
    void shouldSendToAListeningCProgram(int size) throws Exception {
        RawMessages sent = new RawMessages(size);
        try (RawPeer peer = peer("-l", "-r", "-m", size)) {
            NetioConnection connection = connect(peer);
            get(send(connection, sent, MESSAGES).toFuture());
            connection.dispose();
            assertThat(peer.result()).containsExactly("received " + sent);
            assertThat(sent.count()).isEqualTo(MESSAGES);
            assertThat(connection.statistics().sentMessages()).isEqualTo(MESSAGES + 1);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 64, 4096, LARGEST})
    void shouldSendToAConnectingCProgram(int size) throws Exception {
        RawMessages sent = new RawMessages(size);
        DisposableServer server = server().handle((in, out) -> send(out, sent, MESSAGES)).bindNow();
        try (RawPeer peer = peer("-P", server.port(), "-r", "-m", size)) {
            assertThat(peer.result()).containsExactly("received " + sent);
            assertThat(sent.count()).isEqualTo(MESSAGES);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 64, 4096, LARGEST})
    void shouldExchangeInBothDirectionsAtOnceWithAConnectingCProgram(int size) throws Exception {
        RawMessages received = new RawMessages(size);
        RawMessages sent = new RawMessages(size);
        CompletableFuture<Void> both = new CompletableFuture<>();
        DisposableServer server = server().handle((in, out) -> Mono.when(receive(in, received), send(out, sent, MESSAGES))
                .doOnSuccess(both::complete).doOnError(both::completeExceptionally)).bindNow();
        try (RawPeer peer = peer("-P", server.port(), "-r", "-s", MESSAGES, "-m", size)) {
            get(both);
            assertThat(peer.result()).containsExactly("sent " + received, "received " + sent);
            assertThat(received.count()).isEqualTo(MESSAGES);
            assertThat(sent.count()).isEqualTo(MESSAGES);
        }
    }

    @Test
    void shouldExchangeInBothDirectionsAtOnceWithAListeningCProgram() throws Exception {
        RawMessages received = new RawMessages(1000);
        RawMessages sent = new RawMessages(1000);
        try (RawPeer peer = peer("-l", "-r", "-s", MESSAGES, "-m", 1000)) {
            NetioConnection connection = connect(peer);
            get(Mono.when(receiveInPlace(connection, received), send(connection, sent, MESSAGES)).toFuture());
            connection.dispose();
            assertThat(peer.result()).containsExactly("sent " + received, "received " + sent);
        }
    }

    @Test
    void shouldSendAsManyMessagesAsACProgramHasReceivesAndNoEnd() throws Exception {
        RawMessages sent = new RawMessages(100);
        try (RawPeer peer = peer("-l", "-n", 50, "-m", 100)) {
            NetioConnection connection = connect(peer);
            get(connection.send(messages(sent, 50)).toFuture());
            connection.dispose();
            assertThat(peer.result()).containsExactly("received " + sent);
        }
    }

    @Test
    void shouldBeHeldBackByASlowCProgramWithFewBuffersAndLoseNothing() throws Exception {
        int number = 1_000;
        RawMessages sent = new RawMessages(LARGEST);
        try (RawPeer peer = peer("-l", "-r", "-m", LARGEST, "-b", 4, "-d", 1_000)) {
            NetioConnection connection = connect(peer);
            long start = System.nanoTime();
            CompletableFuture<Long> emitted = new CompletableFuture<>();
            get(connection.send(messages(sent, number).doOnComplete(() -> emitted.complete(System.nanoTime() - start)))
                    .then(connection.completeOutbound()).toFuture());
            connection.dispose();
            assertThat(peer.result()).containsExactly("received " + sent);
            assertThat(sent.count()).isEqualTo(number);
            assertThat(connection.statistics().noResources()).isPositive();
            // 1 ms each, and the kernel's socket buffers (10 MB at most), 32 send and 4 receive buffers hold fewer than 300
            assertThat(Duration.ofNanos(get(emitted))).isGreaterThan(Duration.ofMillis(700));
        }
    }

    @Test
    void shouldHoldASendingCProgramBackWithoutDemand() throws Exception {
        int number = 1_000;
        RawMessages received = new RawMessages(LARGEST);
        CompletableFuture<NetioConnection> accepted = new CompletableFuture<>();
        DisposableServer server = server().receiveBuffers(LARGEST, 4).doOnConnection(accepted::complete).bindNow();
        try (RawPeer peer = peer("-P", server.port(), "-s", number, "-m", LARGEST)) {
            NetioConnection connection = get(accepted);
            Receiver receiver = new Receiver(received, 10);
            connection.receive().subscribe(receiver);
            Eventually.await("the peer is held back",
                    () -> received.count() == 10 && connection.statistics().creditsInUse() == 4);
            assertThat(received.count()).isEqualTo(10);
            assertThat(connection.statistics().receivedMessages()).isEqualTo(14);
            assertThat(peer.isAlive()).isTrue();
            receiver.request(Long.MAX_VALUE);
            get(receiver.ended);
            assertThat(peer.result()).containsExactly("sent " + received);
        }
    }

    /** Asks for a few messages; more is up to the test. */
    private static final class Receiver extends BaseSubscriber<ByteBuffer> {
        private final RawMessages messages;
        private final long first;
        final CompletableFuture<Void> ended = new CompletableFuture<>();

        Receiver(RawMessages messages, long first) {
            this.messages = messages;
            this.first = first;
        }

        @Override
        protected void hookOnSubscribe(Subscription subscription) {
            request(first);
        }

        @Override
        protected void hookOnNext(ByteBuffer value) {
            messages.accept(value);
        }

        @Override
        protected void hookOnComplete() {
            ended.complete(null);
        }

        @Override
        protected void hookOnError(Throwable throwable) {
            ended.completeExceptionally(throwable);
        }
    }

    /** Milliseconds, as a rule: sooner than keep-alive would notice. */
    private static void assertAbortedSoon(CompletableFuture<?> future) {
        assertThatThrownBy(() -> future.get(10, TimeUnit.SECONDS)).isInstanceOf(ExecutionException.class).cause()
                .isInstanceOf(NetioAbortedException.class);
    }

    @Test
    void shouldFailAReceiverSoonWhenTheCProgramIsKilled() throws Exception {
        RawMessages received = new RawMessages(4096);
        CompletableFuture<NetioConnection> accepted = new CompletableFuture<>();
        DisposableServer server = server().doOnConnection(accepted::complete).bindNow();
        try (RawPeer peer = peer("-P", server.port(), "-s", Long.MAX_VALUE, "-m", 4096)) {
            NetioConnection connection = get(accepted);
            CompletableFuture<Void> end = receive(connection, received).toFuture();
            Eventually.await("the peer is held back", () -> received.count() > 1_000);
            peer.kill();
            assertAbortedSoon(end);
            get(connection.onDispose().toFuture());
        }
    }

    @Test
    void shouldFailAReceiverWithoutDemandSoonAfterItsDemandWhenTheCProgramWasKilled() throws Exception {
        RawMessages received = new RawMessages(4096);
        CompletableFuture<NetioConnection> accepted = new CompletableFuture<>();
        DisposableServer server = server().receiveBuffers(4096, 8).doOnConnection(accepted::complete).bindNow();
        try (RawPeer peer = peer("-P", server.port(), "-s", Long.MAX_VALUE, "-m", 4096)) {
            NetioConnection connection = get(accepted);
            Receiver receiver = new Receiver(received, 100);
            connection.receive().subscribe(receiver);
            Eventually.await("the peer is held back",
                    () -> received.count() == 100 && connection.statistics().creditsInUse() == 8);
            peer.kill();
            receiver.request(Long.MAX_VALUE);
            assertAbortedSoon(receiver.ended);
            assertThat(received.count()).isGreaterThanOrEqualTo(108);
        }
    }

    @Test
    void shouldFailASenderSoonWhenTheCProgramIsKilled() throws Exception {
        RawMessages sent = new RawMessages(4096);
        try (RawPeer peer = peer("-l", "-r", "-m", 4096)) {
            NetioConnection connection = connect(peer);
            CompletableFuture<Void> end = send(connection, sent, Long.MAX_VALUE).toFuture();
            Eventually.await("the peer is held back", () -> sent.count() > 1_000);
            peer.kill();
            assertAbortedSoon(end);
        }
    }

    @Test
    void shouldFailASenderThatIsHeldBackSoonWhenTheCProgramIsKilled() throws Exception {
        RawMessages sent = new RawMessages(LARGEST);
        try (RawPeer peer = peer("-l", "-r", "-m", LARGEST, "-b", 2, "-d", 30_000_000)) {
            NetioConnection connection = connect(peer);
            CompletableFuture<Void> end = send(connection, sent, Long.MAX_VALUE).toFuture();
            Eventually.await("the peer is held back",
                    () -> connection.statistics().noResources() > 0);
            peer.kill();
            assertAbortedSoon(end);
        }
    }

    @Test
    void shouldFailBothDirectionsSoonWhenTheCProgramIsKilled() throws Exception {
        RawMessages received = new RawMessages(64);
        RawMessages sent = new RawMessages(64);
        try (RawPeer peer = peer("-l", "-r", "-s", Long.MAX_VALUE, "-m", 64)) {
            NetioConnection connection = connect(peer);
            CompletableFuture<Void> sending = send(connection, sent, Long.MAX_VALUE).toFuture();
            CompletableFuture<Void> receiving = receive(connection, received).toFuture();
            Eventually.await("the peer is held back",
                    () -> received.count() > 1_000 && sent.count() > 1_000);
            peer.kill();
            assertAbortedSoon(sending);
            assertAbortedSoon(receiving);
        }
    }

    @RepeatedTest(5)
    void shouldEndAConnectionThatIsClosedHereWhileMessagesArrive() throws Exception {
        CompletableFuture<Throwable> end = new CompletableFuture<>();
        CompletableFuture<NetioConnection> accepted = new CompletableFuture<>();
        DisposableServer server = server().receiveBuffers(64, 512).doOnConnection(connection -> {
            connection.receive().index().doOnNext(message -> {
                if (message.getT1() == 2_000) {
                    connection.dispose();
                }
            }).subscribe(message -> { }, end::complete);
            accepted.complete(connection);
        }).bindNow();
        try (RawPeer peer = peer("-P", server.port(), "-s", Long.MAX_VALUE, "-m", 64)) {
            assertThat(get(end)).isInstanceOf(NetioAbortedException.class).hasMessageContaining("closed here");
            get(get(accepted).onDispose().toFuture());
            assertThat(peer.exitCode()).isEqualTo(3);
        }
    }
}
