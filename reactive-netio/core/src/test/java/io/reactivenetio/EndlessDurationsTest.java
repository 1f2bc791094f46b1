// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.api.Tags;
import io.reactivenetio.pubsub.NetioPublisher;
import io.reactivenetio.pubsub.NetioSubscriber;
import io.reactivenetio.testing.TestSettings;
import io.reactivenetio.transport.BackendType;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** A Duration that means "for ever" is one, wherever the API takes a Duration. */
@Timeout(180)
class EndlessDurationsTest {
    private static final Duration ENOUGH = Duration.ofSeconds(40);

    static Stream<Duration> endless() {
        return Stream.of(ChronoUnit.FOREVER.getDuration(), Duration.ofSeconds(Long.MAX_VALUE), Duration.ofDays(293 * 366),
                Duration.ofNanos(Long.MAX_VALUE), Duration.ofMillis(Long.MAX_VALUE));
    }

    @ParameterizedTest
    @MethodSource("endless")
    void shouldTakeItEverywhere(Duration endless) throws Exception {
        for (BackendType backend : List.of(BackendType.LIBFABRIC, BackendType.TCP)) {
            NetioLoops loops = NetioLoops.builder().name("endless").adaptiveSpin(endless).build();
            NetioPublisher publisher = NetioPublisher.builder().stallTimeout(endless).build()
                    .publish(7, Flux.just(Numbers.number(7)));
            DisposableServer server = publisher.serve(NetioServer.create().backend(backend).host(TestSettings.ADDRESS)
                    .runOn(loops).connectTimeout(endless).keepAlive(endless).framing(Framing.stream().serveTimeout(endless)))
                    .bindNow(endless);
            NetioClient client = NetioClient.create().backend(backend).host(TestSettings.ADDRESS).runOn(loops).port(server.port())
                    .connectTimeout(endless).keepAlive(endless).framing(Framing.stream().serveTimeout(endless));
            client.connectNow(endless).disposeNow(endless);
            client.connectNow().disposeNow(endless);
            assertThat(NetioSubscriber.create(client).doOnMissed(endless, missed -> { }).subscribe(Tags.of(7)).collectList()
                    .block(TestSettings.PATIENCE)).hasSize(1);
            server.shutdown(endless).block(TestSettings.PATIENCE);
            CompletableFuture.runAsync(() -> server.disposeNow(endless)).get(TestSettings.PATIENCE.toSeconds(), TimeUnit.SECONDS);
            loops.disposeLater(endless).block(TestSettings.PATIENCE);
        }
    }

    /** Negative deadlines are over: what is left of a time that somebody divides up is that, sometimes. */
    @Test
    void shouldTakeADeadlineThatIsOver() {
        for (Duration over : List.of(Duration.ZERO, Duration.ofMillis(-1), Duration.ofSeconds(Long.MIN_VALUE))) {
            NetioLoops loops = NetioLoops.create("over", 1);
            NetioServer settings = NetioServer.create().backend(BackendType.TCP).host(TestSettings.ADDRESS).runOn(loops)
                    .handle((in, out) -> Mono.never());
            DisposableServer server = settings.bindNow();
            NetioConnection connection = NetioClient.create().backend(BackendType.TCP).host(TestSettings.ADDRESS).runOn(loops)
                    .port(server.port()).connectNow();
            server.disposeNow(over);
            connection.onDispose().onErrorComplete().block(TestSettings.PATIENCE);
            assertThatThrownBy(() -> settings.connectTimeout(over)).isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("connectTimeout must be positive");
            assertThatThrownBy(() -> settings.keepAlive(over)).isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("keepAlive must be positive");
            loops.disposeLater(over).block(TestSettings.PATIENCE);
        }
    }

    /** Whoever gives up leaves no connection behind, however exactly it hits the moment in which that is made. */
    @Test
    void shouldLeaveNoConnectionBehind() throws InterruptedException {
        NetioLoops loops = NetioLoops.create("behind", 1);
        DisposableServer server = NetioServer.create().backend(BackendType.TCP).host(TestSettings.ADDRESS).runOn(loops)
                .handle((in, out) -> Mono.never()).bindNow();
        NetioClient client = NetioClient.create().backend(BackendType.TCP).host(TestSettings.ADDRESS).runOn(loops)
                .port(server.port());
        long usual = 200_000;
        int rounds = TestSettings.scaled(1_500);
        long enough = System.nanoTime() + ENOUGH.toNanos(); // on a busy machine each round waits for a processor
        for (int round = 0; round < rounds && System.nanoTime() - enough < 0; round++) {
            long begun = System.nanoTime();
            Thread waiter = Thread.ofPlatform().start(() -> {
                try {
                    client.connectNow().dispose();
                } catch (RuntimeException interrupted) {
                    // it is closed
                }
            });
            long until = begun + usual * (50 + round % 100) / 100;
            while (System.nanoTime() < until) {
                Thread.onSpinWait();
            }
            boolean inTime = waiter.isAlive();
            waiter.interrupt();
            waiter.join();
            usual = Math.max(20_000, inTime ? usual + usual / 20 : usual - usual / 20);
        }
        enough = System.nanoTime() + ENOUGH.toNanos();
        for (int round = 0; round < rounds && System.nanoTime() - enough < 0; round++) {
            try {
                client.connectNow(Duration.ofNanos(usual * (50 + round % 100) / 100)).dispose();
            } catch (RuntimeException tooLong) {
                // it is closed
            }
        }
        Link.await(() -> server.connections() == 0, () -> server.connections() + " connections");
        loops.dispose();
    }
}
