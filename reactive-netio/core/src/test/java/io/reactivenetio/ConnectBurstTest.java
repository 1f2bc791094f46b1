// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.exceptions.NetioConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Hooks;
import reactor.core.publisher.Mono;

/** Hundreds of attempts of one loop to connect to one address: some at a time, and each comes to its end. */
@Timeout(120)
class ConnectBurstTest {
    private static final int MANY = 300;
    /** As many as may be under way to one address. */
    private static final int AT_A_TIME = 64;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final NetioLoops loops = NetioLoops.create("burst", 1);

    @AfterEach
    void stop() {
        loops.dispose();
    }

    private NetioClient client(int port) {
        return NetioClient.create().port(port).backend(BackendType.TCP).runOn(loops);
    }

    private static DisposableServer server() {
        return NetioServer.create().backend(BackendType.TCP).bindNow();
    }

    @Test
    void shouldConnectAllAndNoneTwice() throws Exception {
        DisposableServer server = server();
        try {
            List<NetioConnection> all = Flux.range(0, MANY).flatMap(i -> client(server.port()).connect(), MANY).collectList()
                    .block(PATIENCE);

            assertThat(all).hasSize(MANY);
            Link.await(() -> server.connections() == MANY, () -> server.connections() + " connections");
            all.forEach(NetioConnection::dispose);
            Link.await(() -> server.connections() == 0, () -> server.connections() + " connections are left");
        } finally {
            server.disposeNow();
        }
    }

    @Test
    void shouldEndInTimeWhereNobodyAnswers() throws Exception {
        List<Socket> accepted = Collections.synchronizedList(new ArrayList<>());
        try (ServerSocket silent = new ServerSocket(0, MANY, InetAddress.getLoopbackAddress())) {
            Thread.ofVirtual().start(() -> {
                try {
                    while (true) {
                        accepted.add(silent.accept());
                    }
                } catch (Exception e) {
                    return; // the test is over
                }
            });
            CountDownLatch over = new CountDownLatch(MANY);
            List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());
            List<Integer> before = Collections.synchronizedList(new ArrayList<>());
            for (int i = 0; i < MANY; i++) {
                client(silent.getLocalPort()).connectTimeout(Duration.ofSeconds(2)).connect().subscribe(connection -> { },
                        failure -> {
                            before.add(accepted.size());
                            failures.add(failure);
                            over.countDown();
                        });
            }

            assertThat(over.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
            assertThat(before.getFirst()).as("under way before the first has failed").isEqualTo(AT_A_TIME);
            assertThat(failures).hasSize(MANY).allMatch(NetioConnectException.class::isInstance)
                    .allMatch(failure -> failure.getMessage().contains("took longer than 2000 ms"));
        } finally {
            accepted.forEach(ConnectBurstTest::close);
        }
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void shouldTellThoseThatWaitWhenTheLoopEnds() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, MANY, InetAddress.getLoopbackAddress())) {
            Mono<List<Throwable>> failures = Flux.range(0, MANY).flatMap(i -> client(silent.getLocalPort()).connect()
                    .map(connection -> new Throwable("connected")).onErrorResume(Mono::just), MANY).collectList();
            Mono<List<Throwable>> running = failures.doOnSubscribe(subscription -> { }).cache();
            Disposable begun = running.subscribe();
            Link.await(() -> loops.statistics().getFirst().inboxLength() == 0, () -> "the loop is busy");
            loops.dispose();

            assertThat(running.block(PATIENCE)).hasSize(MANY).noneMatch(failure -> "connected".equals(failure.getMessage()));
            begun.dispose();
        }
    }

    @Test
    void shouldForgetThoseThatAreCancelled() throws Exception {
        DisposableServer server = server();
        Hooks.onNextDropped(dropped -> ((NetioConnection) dropped).dispose()); // one that came at the moment of the cancel
        try {
            for (int round = 0; round < 5; round++) {
                List<Disposable> attempts = new ArrayList<>();
                for (int i = 0; i < MANY; i++) {
                    attempts.add(client(server.port()).connect().subscribe(NetioConnection::dispose));
                }
                attempts.forEach(Disposable::dispose);
            }

            NetioConnection last = client(server.port()).connectNow(PATIENCE);
            Link.await(() -> server.connections() <= 1, () -> server.connections() + " connections are left");
            last.dispose();
        } finally {
            Hooks.resetOnNextDropped();
            server.disposeNow();
        }
    }
}
