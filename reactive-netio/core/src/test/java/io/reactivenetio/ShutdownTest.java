// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import static io.reactivenetio.testing.TestSettings.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.api.Tags;
import io.reactivenetio.pubsub.NetioPublisher;
import io.reactivenetio.pubsub.NetioSubscriber;
import io.reactivenetio.testing.TestSettings;
import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.exceptions.NetioAbortedException;
import io.reactivenetio.transport.exceptions.NetioProtocolException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.test.StepVerifier;
import reactor.util.retry.Retry;

/** A server that shuts down says so, and a subscriber takes that for a reason to go elsewhere. */
@Timeout(180)
class ShutdownTest {
    /** What a test that waits for it would not survive. */
    private static final Duration LONG = Duration.ofMinutes(10);
    private static final String SAID = "the peer shuts down: it closes its connections (code 7)";

    private final NetioLoops loops = NetioLoops.create("shutdown", 2);
    private final List<NetioConnection> accepted = new CopyOnWriteArrayList<>();

    @AfterEach
    void stop() {
        loops.dispose();
    }

    private NetioServer server(BackendType backend, int port) {
        return NetioServer.create().backend(backend).provider(TestSettings.PROVIDER).host(TestSettings.ADDRESS).port(port)
                .runOn(loops).doOnConnection(accepted::add);
    }

    private NetioClient client(BackendType backend, DisposableServer server) {
        return NetioClient.create().backend(backend).provider(TestSettings.PROVIDER).host(TestSettings.ADDRESS).runOn(loops)
                .port(server.port());
    }

    private static ByteBuffer number(long n) {
        return ByteBuffer.allocate(8).putLong(0, n);
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldLetGoOfSubscribersAtOnceWhoThenGoElsewhere(BackendType backend) {
        NetioPublisher before = NetioPublisher.create().publish(7, Flux.just(number(1)).concatWith(Flux.never()));
        NetioPublisher after = NetioPublisher.create().publish(7, Flux.just(number(2)).concatWith(Flux.never()));
        DisposableServer first = before.serve(server(backend, 0)).bindNow();
        List<Throwable> lost = new CopyOnWriteArrayList<>();
        Sinks.Empty<Void> again = Sinks.empty();
        List<Long> got = new CopyOnWriteArrayList<>();
        Disposable subscription = NetioSubscriber.create(client(backend, first))
                .reconnect(Retry.from(signals -> signals.doOnNext(signal -> lost.add(signal.failure()))
                        .concatMap(signal -> again.asMono().thenReturn(signal))))
                .subscribe(7).subscribe(message -> got.add(message.payload().getLong(0)));
        Link.await(() -> got.size() == 1, got::toString);
        first.shutdown(LONG).block(PATIENCE);
        Link.await(() -> lost.size() == 1, lost::toString);
        assertThat(lost.getFirst()).isInstanceOf(NetioAbortedException.class);
        if (backend == BackendType.TCP) { // libfabric may discard what it has not sent when it closes
            assertThat(lost.getFirst()).hasMessage(SAID);
        }
        after.serve(server(backend, first.port())).bindNow();
        again.tryEmitEmpty();
        Link.await(() -> got.equals(List.of(1L, 2L)), got::toString);
        subscription.dispose();
    }

    @Test
    void shouldNotWaitForWhatThePeerDoesNotUse() {
        NetioPublisher publisher = NetioPublisher.create().publish(7, Flux.just(number(1)).concatWith(Flux.never()));
        DisposableServer server = publisher.serve(server(BackendType.TCP, 0)).doOnConnection(connection -> {
            connection.respond(9, Mono::just).subscribe();
            connection.stream(10).receive().subscribe(message -> { }, error -> { });
        }).bindNow();
        NetioConnection connection = client(BackendType.TCP, server).connectNow();
        CompletableFuture<Throwable> told = new CompletableFuture<>();
        CompletableFuture<ByteBuffer> first = new CompletableFuture<>();
        connection.stream(7).receive().subscribe(first::complete, told::complete);
        first.orTimeout(30, TimeUnit.SECONDS).join();
        server.shutdown(LONG).block(PATIENCE);
        assertThat(told.orTimeout(30, TimeUnit.SECONDS).join()).hasMessageContaining(SAID);
        publisher.dispose();
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldBindToThePortOfAServerThatWasJustDisposedOf(BackendType backend) {
        DisposableServer server = server(backend, 0).bindNow();
        int port = server.port();
        for (int round = 0; round < 50; round++) {
            server.dispose();
            server = server(backend, port).bindNow();
        }
        server.disposeNow(PATIENCE);
    }

    /** Messages of a cold source, an answer, something that is received or sent. */
    @ParameterizedTest
    @ValueSource(strings = {"cold", "request", "receive", "send"})
    void shouldWaitForWhatHasAnEnd(String what) {
        Sinks.One<ByteBuffer> end = Sinks.one();
        AtomicBoolean begun = new AtomicBoolean();
        CompletableFuture<ByteBuffer> received = new CompletableFuture<>();
        Mono<ByteBuffer> once = end.asMono().doOnSubscribe(s -> begun.set(true));
        NetioPublisher publisher = NetioPublisher.create().publish(7, Flux.never()).publishEach(Tags.of(8), tag -> once);
        DisposableServer server = publisher.serve(server(BackendType.TCP, 0)).doOnConnection(connection -> {
            switch (what) {
                case "request" -> connection.respond(9, request -> once).subscribe();
                case "send" -> connection.send(once).subscribe(nothing -> { }, error -> { });
                case "receive" -> connection.receive().doOnSubscribe(s -> begun.set(true)).next()
                        .subscribe(received::complete, received::completeExceptionally);
                default -> { }
            }
        }).bindNow();
        NetioConnection connection = client(BackendType.TCP, server).connectNow();
        connection.stream(7).receive().subscribe(message -> { }, error -> { });
        CompletableFuture<ByteBuffer> result = switch (what) {
            case "cold" -> connection.stream(8).receive().next().toFuture();
            case "request" -> connection.requester(9).request(number(1)).toFuture();
            case "send" -> connection.receive().next().toFuture();
            default -> received;
        };
        Link.await(() -> begun.get() && publisher.statistics().subscribers() >= 1, () -> what + " has begun: " + begun);
        CompletableFuture<Void> shutdown = server.shutdown(LONG).toFuture();
        server.onDispose().block(PATIENCE);
        if (what.equals("receive")) {
            connection.send(Flux.just(number(3))).subscribe(nothing -> { }, error -> { });
        } else {
            end.tryEmitValue(number(3)).orThrow();
        }
        assertThat(result.orTimeout(30, TimeUnit.SECONDS).join().getLong(0)).isEqualTo(3);
        assertThat(shutdown).isNotDone();
        connection.dispose();
        shutdown.orTimeout(30, TimeUnit.SECONDS).join();
    }

    /** Those that wait must not look for another responder, which the peer would refuse. */
    @Test
    void shouldFailTheRequestsOfAConnectionThatIsClosedAtTheDeadline() {
        DisposableServer server = server(BackendType.TCP, 0).bindNow();
        CompletableFuture<ByteBuffer> atWork = new CompletableFuture<>();
        client(BackendType.TCP, server).connectNow().respond(9, 1, request -> {
            atWork.complete(request);
            return Mono.never();
        }).subscribe();
        Link.await(() -> accepted.size() == 1, accepted::toString);
        List<Throwable> failures = new CopyOnWriteArrayList<>();
        for (int i = 0; i < 100; i++) {
            accepted.getFirst().requester(9).request(number(i)).subscribe(answer -> { }, failures::add);
        }
        atWork.orTimeout(30, TimeUnit.SECONDS).join();
        server.shutdown(Duration.ZERO).block(PATIENCE);
        Link.await(() -> failures.size() == 100, failures::toString);
        assertThat(failures).allSatisfy(failure -> assertThat(failure).isInstanceOf(NetioAbortedException.class)
                .hasMessageContaining("was closed here, by a shutdown"));
    }

    @Test
    void shouldSayWhyAConnectionIsClosedAtTheDeadline() {
        DisposableServer server = server(BackendType.TCP, 0).bindNow();
        NetioConnection connection = client(BackendType.TCP, server).connectNow();
        StepVerifier.create(connection.receive()).then(() -> {
            Link.await(() -> !accepted.isEmpty(), () -> "accepted");
            server.disposeNow(Duration.ofMillis(1));
        }).expectErrorSatisfies(error -> assertThat(error).isInstanceOf(NetioAbortedException.class).hasMessage(SAID))
                .verify(PATIENCE);
        assertThat(accepted.getFirst().isDisposed()).isTrue();
    }

    /** Of the codes that a connection can end with, only one says that a side was broken. */
    @ParameterizedTest
    @ValueSource(ints = {4, 6, 7})
    void shouldTellAShutdownFromAFault(int code) throws IOException {
        DisposableServer server = server(BackendType.TCP, 0).bindNow();
        try (StreamPeer peer = new StreamPeer(server.port(), 4, 10_000)) {
            Link.await(() -> !accepted.isEmpty(), () -> "accepted");
            StepVerifier receiver = StepVerifier.create(accepted.getFirst().receive()).expectErrorSatisfies(error ->
                    assertThat(error).isInstanceOf(code == 6 ? NetioProtocolException.class : NetioAbortedException.class)
                            .hasMessageContaining(": so it is (code " + code + ")")).verifyLater();
            peer.send(0, 0, page -> page.error(-1, code, "so it is"));
            receiver.verify(PATIENCE);
            assertThat(peer.isClosed()).isTrue();
        }
    }
}
