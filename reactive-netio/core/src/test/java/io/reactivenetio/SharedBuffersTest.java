// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import static io.reactivenetio.testing.TestSettings.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.EndSignal;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.testing.TestSettings;
import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.exceptions.MessageTooLargeException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.test.StepVerifier;

/** Many connections with a few buffers between them: all of them come to their end. */
@Timeout(180)
class SharedBuffersTest {
    private static final int CONNECTIONS = 20;
    private static final Framing.Raw RAW = Framing.raw().endSignal(EndSignal.EMPTY_MESSAGE);

    private final NetioLoops loops = NetioLoops.create("shared", 1);

    @AfterEach
    void stop() {
        loops.dispose();
    }

    private NetioServer server(BackendType backend) {
        return NetioServer.create().framing(RAW).backend(backend).provider(TestSettings.PROVIDER)
                .host(TestSettings.ADDRESS).runOn(loops);
    }

    private NetioClient client(BackendType backend, DisposableServer server) {
        return NetioClient.create().framing(RAW).backend(backend).provider(TestSettings.PROVIDER)
                .host(TestSettings.ADDRESS).runOn(loops).receiveBuffers(64, 8).sendBuffers(64, 8).port(server.port());
    }

    private static Flux<ByteBuffer> numbers(int count) {
        return Flux.range(0, count).map(n -> ByteBuffer.allocate(4).putInt(0, n));
    }

    private static Mono<Long> echoed(NetioConnection connection, int count) {
        return Mono.zip(connection.send(numbers(count)).then(connection.completeOutbound()).thenReturn(true),
                connection.receive(message -> message.getInt()).reduce(0L, Long::sum),
                (sent, sum) -> sum);
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldEchoOnManyConnectionsThroughAFewBuffers(BackendType backend) {
        int count = TestSettings.scaled(1_000);
        for (int buffers : new int[] {2, 8, 64}) {
            DisposableServer server = server(backend)
                    .framing(RAW.sharedReceiveBuffers(64, 2 * CONNECTIONS).sharedSendBuffers(64, buffers))
                    .handle((in, out) -> out.send(in.receive()).then(out.completeOutbound())).bindNow();
            List<Long> sums = Flux.range(0, CONNECTIONS).flatMap(i -> client(backend, server).connect()
                    .flatMap(connection -> echoed(connection, count).doFinally(end -> connection.dispose())), CONNECTIONS)
                    .collectList().block(PATIENCE);
            assertThat(sums).hasSize(CONNECTIONS).containsOnly((long) count * (count - 1) / 2);
            server.disposeNow(PATIENCE);
        }
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldSendAlthoughIdleSendersOfOtherConnectionsAreThere(BackendType backend) {
        Queue<NetioConnection> accepted = new ConcurrentLinkedQueue<>();
        DisposableServer server = server(backend).framing(RAW.sharedSendBuffers(64, 8)).doOnConnection(accepted::add).bindNow();
        List<NetioConnection> clients = new ArrayList<>();
        for (int i = 0; i < CONNECTIONS; i++) {
            clients.add(client(backend, server).connectNow());
        }
        Link.await(() -> accepted.size() == CONNECTIONS, () -> "accepted");
        List<Sinks.Many<ByteBuffer>> idle = new ArrayList<>();
        for (NetioConnection connection : accepted) {
            for (int i = 0; i < 2; i++) {
                Sinks.Many<ByteBuffer> source = Sinks.many().unicast().onBackpressureBuffer();
                connection.send(source.asFlux()).subscribe(nothing -> { }, error -> { });
                idle.add(source);
            }
        }
        Mono<Long> all = Flux.fromIterable(clients)
                .flatMap(connection -> connection.receive(message -> 1).take(102), CONNECTIONS).count();
        Mono<Void> sent = Flux.fromIterable(accepted).concatMap(connection -> connection.send(numbers(100))).then();
        StepVerifier.create(all.doOnSubscribe(s -> sent.subscribe(nothing -> { }, error -> { },
                () -> idle.forEach(source -> source.tryEmitNext(ByteBuffer.allocate(4))))))
                .expectNext(102L * CONNECTIONS).expectComplete().verify(PATIENCE);
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldUseSharedBuffersInsteadOfThoseOfEachConnection(BackendType backend) {
        DisposableServer server = server(backend).handle((in, out) -> in.receive().then()).bindNow();
        NetioClient client = client(backend, server);
        NetioConnection shared = client.framing(RAW.sharedReceiveBuffers(64, 11).sharedSendBuffers(10, 5))
                .receiveBuffers(64, 7).sendBuffers(20, 5).connectNow();
        assertThat(shared.statistics().credits()).isEqualTo(11);
        StepVerifier.create(shared.send(Mono.just(ByteBuffer.allocate(11)))).expectErrorSatisfies(e -> assertThat(e)
                .isInstanceOf(MessageTooLargeException.class).hasMessageContaining("send buffers of 10 bytes")).verify(PATIENCE);
        NetioConnection own = client.receiveBuffers(64, 7)
                .sendBuffers(20, 5).connectNow();
        assertThat(own.statistics().credits()).isEqualTo(7);
        own.send(Mono.just(ByteBuffer.allocate(20))).block(PATIENCE);
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldHandleTheConnectionsOfAClientToo(BackendType backend) {
        DisposableServer server = server(backend).handle((in, out) -> out.send(in.receive()).then(out.completeOutbound()))
                .bindNow();
        Sinks.One<Long> sum = Sinks.one();
        NetioConnection connection = client(backend, server).handle((in, out) -> Mono.when(
                out.send(numbers(100)).then(out.completeOutbound()),
                in.receive(message -> message.getInt()).reduce(0L, Long::sum)
                        .doOnNext(sum::tryEmitValue))).connectNow();
        assertThat(sum.asMono().block(PATIENCE)).isEqualTo(4_950L);
        connection.onDispose().block(PATIENCE);
        connection.disposeNow(PATIENCE);
    }
}
