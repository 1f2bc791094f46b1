// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivenetio.transport.BackendType;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Flux;

/** How servers and clients begin and end. */
@Timeout(60)
class LifecycleTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final NetioLoops loops = NetioLoops.create("test", 2);

    @AfterEach
    void stop() {
        loops.dispose();
    }

    private NetioServer server(BackendType backend) {
        return NetioServer.create().backend(backend).provider(TestSettings.PROVIDER).host(TestSettings.ADDRESS).runOn(loops);
    }

    private NetioClient client(BackendType backend, DisposableServer server) {
        return NetioClient.create().backend(backend).provider(TestSettings.PROVIDER).host(TestSettings.ADDRESS).runOn(loops)
                .port(server.port());
    }

    @ParameterizedTest
    @EnumSource
    void shouldCallTheHooksOfServerAndClientInTheirOrder(BackendType backend) {
        List<String> called = new CopyOnWriteArrayList<>();
        DisposableServer server = server(backend).doOnBind(s -> called.add("bind"))
                .doOnBound(s -> called.add("bound " + s.port()))
                .doOnUnbound(s -> called.add("unbound")).doOnConnection(c -> called.add("connection")).bindNow();
        NetioConnection connection = client(backend, server).doOnConnect(c -> called.add("connect"))
                .doOnConnected(c -> called.add("connected")).doOnDisconnected(c -> called.add("disconnected")).connectNow();
        connection.dispose();
        connection.onDispose().block(PATIENCE);
        server.disposeNow(PATIENCE);
        assertThat(server.connections()).isZero();
        assertThat(called).containsExactlyInAnyOrder("bind", "bound " + server.port(), "connect", "connection", "connected",
                "disconnected", "unbound");
        assertThat(called).containsSubsequence("bind", "bound " + server.port(), "connect", "connected", "disconnected",
                "unbound");
    }

    @ParameterizedTest
    @EnumSource
    void shouldWaitForConnectionsWhenShutDownAndCloseThemAtTheDeadline(BackendType backend) {
        CompletableFuture<NetioConnection> accepted = new CompletableFuture<>();
        DisposableServer server = server(backend).doOnConnection(accepted::complete).bindNow();
        NetioConnection connection = client(backend, server).connectNow();
        accepted.orTimeout(10, TimeUnit.SECONDS).join();
        assertThat(server.connections()).isEqualTo(1);
        CompletableFuture<Void> patient = server.shutdown(PATIENCE).toFuture();
        server.onDispose().block(PATIENCE);
        assertThat(patient).isNotDone();
        connection.dispose();
        patient.orTimeout(10, TimeUnit.SECONDS).join();
        CompletableFuture<NetioConnection> held = new CompletableFuture<>();
        DisposableServer other = server(backend).doOnConnection(held::complete).bindNow();
        NetioConnection open = client(backend, other).connectNow();
        held.orTimeout(10, TimeUnit.SECONDS).join();
        other.disposeNow(Duration.ofMillis(50));
        assertThat(held.join().isDisposed()).isTrue();
        open.onDispose().block(PATIENCE);
    }

    @ParameterizedTest
    @EnumSource
    void shouldSpreadOpenConnectionsOverTheLoops(BackendType backend) {
        Set<String> threads = ConcurrentHashMap.newKeySet();
        DisposableServer server = server(backend).doOnConnection(connection -> {
            threads.add(Thread.currentThread().getName());
            connection.receive().subscribe(message -> threads.add(Thread.currentThread().getName()), error -> { });
        }).bindNow();
        for (int i = 0; i < 4; i++) {
            client(backend, server).connectNow().send(Flux.just(ByteBuffer.allocate(4).putInt(0, i))).block(PATIENCE);
        }
        assertThat(threads).containsExactlyInAnyOrder("test-1", "test-2");
    }

    @ParameterizedTest
    @EnumSource
    void shouldLetConnectionsEndBeforeTheLoopsDo(BackendType backend) {
        CompletableFuture<NetioConnection> accepted = new CompletableFuture<>();
        DisposableServer server = server(backend).doOnConnection(accepted::complete).bindNow();
        NetioConnection connection = client(backend, server).connectNow();
        accepted.orTimeout(10, TimeUnit.SECONDS).join();
        CompletableFuture<Void> ended = loops.disposeLater(PATIENCE).toFuture();
        server.onDispose().block(PATIENCE);
        assertThat(loops.isDisposed()).isTrue();
        assertThatThrownBy(() -> client(backend, server).connectNow()).hasMessageContaining("disposed of");
        assertThat(ended).isNotDone();
        assertThat(connection.isDisposed()).isFalse();
        connection.dispose();
        ended.orTimeout(10, TimeUnit.SECONDS).join();
    }

    @ParameterizedTest
    @EnumSource
    void shouldEndLoopsAtTheDeadlineWithAllThatIsOnThem(BackendType backend) {
        DisposableServer server = server(backend).bindNow();
        NetioConnection connection = client(backend, server).connectNow();
        loops.disposeLater(Duration.ofMillis(50)).block(PATIENCE);
        assertThat(connection.isDisposed()).isTrue();
        server.onDispose().block(PATIENCE);
    }

    @ParameterizedTest
    @EnumSource
    void shouldTellThatServersHaveEndedWithTheirLoops(BackendType backend) {
        DisposableServer server = server(backend).bindNow();
        loops.dispose();
        server.onDispose().block(PATIENCE);
    }
}
