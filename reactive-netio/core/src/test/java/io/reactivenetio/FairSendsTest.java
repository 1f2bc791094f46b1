// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import static io.reactivenetio.testing.TestSettings.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.testing.TestSettings;
import io.reactivenetio.transport.BackendType;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;

/** Several sends on one connection: none of them waits for another one to end, or to have something. */
@Timeout(180)
class FairSendsTest extends TwoEnds {
    private static final int MOST = 4_000;
    private static final int MOST_BYTES = 40_000_000;

    private void connect(BackendType backend, FramingKind framing) {
        connect(backend, s -> s.framing(framing.framing()), c -> c.framing(framing.framing()));
    }

    private static Flux<ByteBuffer> messages(int sender, int count, int size) {
        return Flux.range(0, count).map(n -> ByteBuffer.allocate(size).put(0, (byte) sender));
    }

    /** Both at once, so that neither has sent anything when the other begins. */
    private void send(Flux<ByteBuffer> one, Flux<ByteBuffer> other) {
        CompletableFuture.runAsync(() -> {
            server.send(one).subscribe(nothing -> { }, error -> { });
            server.send(other).subscribe(nothing -> { }, error -> { });
        }, server.scheduler()::schedule).orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
    }

    static Stream<Arguments> everything() {
        return Stream.of(BackendType.LIBFABRIC, BackendType.TCP).flatMap(backend -> Stream.of(FramingKind.values())
                .flatMap(framing -> Stream.of(64, 4_096, 40_000).flatMap(size -> Stream.of(16, Integer.MAX_VALUE)
                        .map(demand -> Arguments.of(backend, framing, size, demand)))));
    }

    /** Upstreams that answer at once could always go on: each fills every page, and uses up all the demand. */
    @ParameterizedTest
    @MethodSource("everything")
    void shouldTakeTurnsMessageByMessage(BackendType backend, FramingKind framing, int size, int demand) {
        connect(backend, framing);
        shouldTakeTurns(Math.min(MOST, TestSettings.scaled(MOST_BYTES) / size), size, demand);
    }

    @ParameterizedTest
    @CsvSource({"LIBFABRIC, 8", "LIBFABRIC, 50000", "LIBFABRIC, 100000", "TCP, 8", "TCP, 100000"})
    void shouldTakeTurnsMessageByMessageWithPartsToo(BackendType backend, int size) {
        connect(backend, FramingKind.STREAM);
        shouldTakeTurns(200, size, 16);
    }

    private void shouldTakeTurns(int number, int size, int demand) {
        send(messages(0, Integer.MAX_VALUE, size), messages(1, Integer.MAX_VALUE, size));
        List<Integer> senders = client.receive(message -> (int) message.get(0)).limitRate(demand).take(number).collectList()
                .block(PATIENCE);
        assertThat(senders).isEqualTo(Flux.range(0, number).map(n -> n % 2).collectList().block());
    }

    static Stream<Arguments> framings() {
        return Stream.of(BackendType.LIBFABRIC, BackendType.TCP).flatMap(backend -> Stream.of(FramingKind.values())
                .map(framing -> Arguments.of(backend, framing)));
    }

    @ParameterizedTest
    @MethodSource("framings")
    void shouldSendBesideAnyNumberOfIdleSends(BackendType backend, FramingKind framing) {
        connect(backend, framing);
        for (int i = 0; i < 200; i++) {
            server.send(Flux.never()).subscribe(nothing -> { }, error -> { });
        }
        CompletableFuture<Void> sent = server.send(messages(1, 1_000, 8)).toFuture();
        assertThat(client.receive(message -> message.get(0)).take(1_000).count().block(PATIENCE)).isEqualTo(1_000);
        if (framing != FramingKind.STREAM) { // where the cancel is the peer's last word
            sent.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
        }
    }

    @ParameterizedTest
    @CsvSource({"LIBFABRIC, false", "LIBFABRIC, true", "TCP, false", "TCP, true"})
    void shouldNotLetAnIdleSendKeepThePeersDemandFromTheOthers(BackendType backend, boolean elsewhere) {
        connect(backend, FramingKind.STREAM);
        Sinks.Many<ByteBuffer> idle = Sinks.many().unicast().onBackpressureBuffer();
        Flux<ByteBuffer> busy = messages(1, 2_000, 8);
        for (int i = 0; i < 20; i++) {
            idle.tryEmitNext(ByteBuffer.allocate(8));
        }
        send(idle.asFlux(), elsewhere ? busy.publishOn(Schedulers.parallel()) : busy);
        CompletableFuture<Void> served = new CompletableFuture<>();
        CompletableFuture<List<Integer>> all = client.receive(message -> (int) message.get(0)).limitRate(256)
                .scan(0, Integer::sum).doOnNext(sum -> {
                    if (sum == 2_000) {
                        served.complete(null);
                    }
                }).take(1 + 2_000 + 20 + 300).collectList().toFuture();
        served.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
        for (int i = 0; i < 300; i++) {
            idle.tryEmitNext(ByteBuffer.allocate(8));
        }
        assertThat(all.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join()).endsWith(2_000);
    }
}
