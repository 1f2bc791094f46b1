// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import static io.reactivenetio.connection.ConnectionProbe.engine;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.connection.ConnectionProbe;
import io.reactivenetio.testing.TestSettings;
import io.reactivenetio.transport.BackendType;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Peers that are silent, and loops that have not listened. */
@Timeout(180)
class StreamKeepAliveTest {
    private static final int CONNECTIONS = 50;
    /** In which the clients speak four to six times: a thread that waits for a CPU must not be taken for silence. */
    private static final Duration LIMIT = TestSettings.patient(Duration.ofSeconds(3));
    private static final Duration LONG = TestSettings.patient(Duration.ofSeconds(60));

    private final NetioLoops listening = NetioLoops.create("listening", 1);
    private final NetioLoops speaking = NetioLoops.create("speaking", 1);

    @AfterEach
    void stop() {
        speaking.dispose();
        listening.dispose();
    }

    /**
     * The peers say something more often than they have promised, while the loop reads nothing. Each time takes a credit, of
     * which they have eight until the loop reads.
     */
    @Test
    void shouldNotTakeItsOwnPauseForThePeersSilence() throws Exception {
        Queue<NetioConnection> accepted = new ConcurrentLinkedQueue<>();
        DisposableServer server = NetioServer.create().backend(BackendType.TCP).runOn(listening)
                .receiveBuffers(1_024, 8).sendBuffers(1_024, 4).keepAlive(LONG).doOnConnection(accepted::add).bindNow();
        List<StreamPeer> peers = new ArrayList<>();
        long spoken = System.nanoTime();
        try {
            for (int i = 0; i < CONNECTIONS; i++) {
                if (System.nanoTime() - spoken > LIMIT.dividedBy(4).toNanos()) { // the first wait for the last to connect
                    say(peers);
                    spoken = System.nanoTime();
                }
                peers.add(new StreamPeer(server.port(), 4, 10_000, (int) LIMIT.dividedBy(3).toMillis()));
            }
            Link.await(() -> accepted.size() == CONNECTIONS, () -> accepted.size() + " connections");
            CompletableFuture<Boolean> pause = CompletableFuture.supplyAsync(() -> ConnectionProbe.onLoop(
                    engine(accepted.element()), posted -> standStill(LIMIT.plus(LIMIT.dividedBy(3)), () -> false)));
            while (!pause.isDone()) {
                speak(peers);
            }
            for (int i = 0; i < 4; i++) {
                speak(peers);
            }
            assertThat(accepted).noneMatch(NetioConnection::isDisposed);
        } finally {
            for (StreamPeer peer : peers) {
                peer.close();
            }
        }
    }

    private static void say(List<StreamPeer> peers) throws IOException {
        for (StreamPeer peer : peers) {
            peer.send(0, 0, writer -> { });
        }
    }

    private static void speak(List<StreamPeer> peers) throws Exception {
        say(peers);
        Thread.sleep(LIMIT.dividedBy(4)); // as a peer that keeps a connection alive does
    }

    /** A page takes longer than the peer may be silent, and its bytes arrive all the time. */
    @Test
    void shouldNotTakeASlowLinkForSilence() throws Exception {
        Queue<NetioConnection> accepted = new ConcurrentLinkedQueue<>();
        DisposableServer server = NetioServer.create().backend(BackendType.TCP).runOn(listening)
                .receiveBuffers(1_024, 8).sendBuffers(1_024, 4).keepAlive(LONG).doOnConnection(accepted::add).bindNow();
        try (StreamPeer peer = new StreamPeer(server.port(), 4, 10_000, (int) LIMIT.dividedBy(3).toMillis())) {
            peer.dribble(42, LIMIT.dividedBy(10)); // more than 20 bytes
            assertThat(peer.next(frame -> frame.startsWith("PONG"))).isEqualTo("PONG 42");
            assertThat(accepted).noneMatch(NetioConnection::isDisposed);
        }
    }

    /** One side wants to know soon, the other has promised little. */
    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldNoticeAsSoonAsItsOwnSettingSays(BackendType backend) {
        CompletableFuture<NetioConnection> accepted = new CompletableFuture<>();
        DisposableServer server = NetioServer.create().backend(backend).host(TestSettings.ADDRESS)
                .provider(TestSettings.PROVIDER).runOn(listening).keepAlive(LONG).doOnConnection(accepted::complete).bindNow();
        NetioConnection client = NetioClient.create().backend(backend).host(TestSettings.ADDRESS)
                .provider(TestSettings.PROVIDER).runOn(speaking).keepAlive(LIMIT).port(server.port()).connectNow();
        long quiet = System.nanoTime() + LIMIT.plus(LIMIT.dividedBy(2)).toNanos();
        Link.await(() -> System.nanoTime() - quiet > 0 || client.isDisposed(), () -> "a while");
        assertThat(client.isDisposed()).as("the peer is there, and answers").isFalse();
        boolean noticed = ConnectionProbe.onLoop(engine(accepted.join()), posted ->
                standStill(LIMIT.multipliedBy(6), client::isDisposed));
        assertThat(noticed).as("while the peer is silent").isTrue();
    }

    /** Busy, as what sleeps on a loop is found by the tests that watch over that. */
    private static boolean standStill(Duration most, BooleanSupplier until) {
        long end = System.nanoTime() + most.toNanos();
        boolean reached = until.getAsBoolean();
        while (!reached && System.nanoTime() - end < 0) {
            Math.sin(end); // nothing that is taken for waiting
            reached = until.getAsBoolean();
        }
        return reached;
    }
}
