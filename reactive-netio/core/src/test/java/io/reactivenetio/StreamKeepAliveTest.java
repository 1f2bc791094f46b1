// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.connection.ConnectionProbe;
import io.reactivenetio.testing.TestSettings;
import io.reactivenetio.transport.BackendType;
import java.nio.ByteBuffer;
import java.time.Duration;
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

/** Peers that are silent, and loops that have not listened. */
@Timeout(180)
class StreamKeepAliveTest {
    private static final int CONNECTIONS = 50;
    /** In which the clients speak three times: a slow machine must not be taken for silence. */
    private static final Duration LIMIT = TestSettings.patient(Duration.ofMillis(1_500));
    private static final Duration LONG = TestSettings.patient(Duration.ofSeconds(60));

    private final NetioLoops listening = NetioLoops.create("listening", 1);
    private final NetioLoops speaking = NetioLoops.create("speaking", 1);

    @AfterEach
    void stop() {
        speaking.dispose();
        listening.dispose();
    }

    @ParameterizedTest
    @EnumSource(BackendType.class)
    void shouldNotTakeItsOwnPauseForThePeersSilence(BackendType backend) {
        Queue<NetioConnection> accepted = new ConcurrentLinkedQueue<>();
        DisposableServer server = NetioServer.create().backend(backend).host(TestSettings.ADDRESS).runOn(listening)
                .receiveBuffers(1_024, 8).sendBuffers(1_024, 4).keepAlive(LONG)
                .doOnConnection(connection -> {
                    connection.receive().subscribe(message -> { }, error -> { });
                    accepted.add(connection);
                }).bindNow();
        List<NetioConnection> clients = new ArrayList<>();
        for (int i = 0; i < CONNECTIONS; i++) {
            clients.add(NetioClient.create().backend(backend).host(TestSettings.ADDRESS).runOn(speaking).keepAlive(LIMIT)
                    .receiveBuffers(1_024, 8).sendBuffers(1_024, 4).port(server.port()).connectNow());
        }
        Link.await(() -> accepted.size() == CONNECTIONS, () -> accepted.size() + " connections");
        ConnectionProbe.onLoop(accepted.element().flow(), posted -> standStill(LIMIT.plus(LIMIT.dividedBy(3))));
        for (NetioConnection client : clients) { // what they said meanwhile has been read when this is delivered
            client.send(Mono.just(ByteBuffer.allocate(8))).block(LONG);
        }
        assertThat(Flux.fromIterable(accepted).concatWith(Flux.fromIterable(clients)).filter(NetioConnection::isDisposed)
                .collectList().block()).isEmpty();
    }

    /** Busy, as what sleeps on a loop is found by the tests that watch over that. */
    private static boolean standStill(Duration time) {
        long end = System.nanoTime() + time.toNanos();
        while (System.nanoTime() - end < 0) {
            Math.sin(end); // nothing that is taken for waiting
        }
        return true;
    }
}
