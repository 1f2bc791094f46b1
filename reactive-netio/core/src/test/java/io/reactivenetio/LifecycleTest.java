// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import static io.reactivenetio.testing.TestSettings.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.testing.TestSettings;
import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.backend.Addresses;
import io.reactivenetio.transport.backend.LogBudget;
import io.reactivenetio.transport.exceptions.NetioConnectException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.retry.Retry;

/** How servers and clients begin and end. */
@Timeout(180)
class LifecycleTest {

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
    @EnumSource(names = {"LIBFABRIC", "TCP"})
    void shouldCallTheHooksOfServerAndClientInTheirOrder(BackendType backend) {
        List<String> called = new CopyOnWriteArrayList<>();
        DisposableServer server = server(backend).doOnBind(s -> called.add("bind"))
                .doOnBound(s -> called.add("bound " + s.port()))
                .doOnUnbound(s -> called.add("unbound")).doOnConnection(c -> called.add("connection")).bindNow();
        NetioConnection connection = client(backend, server).doOnConnect(c -> called.add("connect"))
                .doOnConnected(c -> called.add("connected")).doOnDisconnected(c -> called.add("disconnected")).connectNow();
        Link.await(() -> called.contains("connection"), called::toString);
        connection.dispose();
        connection.onDispose().block(PATIENCE);
        // who asks late is told of an end while the hooks are called
        Link.await(() -> called.contains("disconnected"), called::toString);
        server.disposeNow(PATIENCE);
        assertThat(server.connections()).isZero();
        Link.await(() -> called.size() >= 7, called::toString);
        assertThat(called).containsExactlyInAnyOrder("bind", "bound " + server.port(), "connect", "connection", "connected",
                "disconnected", "unbound");
        assertThat(called).containsSubsequence("bind", "bound " + server.port(), "connect", "connected", "disconnected",
                "unbound");
    }

    @ParameterizedTest
    @EnumSource(names = {"LIBFABRIC", "TCP"})
    void shouldKnowTheAddressesOfBothSides(BackendType backend) {
        CompletableFuture<NetioConnection> accepted = new CompletableFuture<>();
        DisposableServer server = server(backend).doOnConnection(accepted::complete).bindNow();
        NetioConnection client = client(backend, server).connectNow();
        NetioConnection other = accepted.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
        assertThat(other.localAddress()).isEqualTo(server.address()).isEqualTo(client.remoteAddress());
        assertThat(client.localAddress()).isNotNull();
        assertThat(Addresses.peer(client.localAddress())).isEqualTo(Addresses.peer(other.remoteAddress()));
        client.disposeNow();
        other.disposeNow();
        server.disposeNow();
        assertThat(client.localAddress()).isNotNull();
    }

    @ParameterizedTest
    @EnumSource(names = {"LIBFABRIC", "TCP"})
    void shouldCloseAConnectionWhoseHookThrows(BackendType backend) {
        CompletableFuture<NetioConnection> accepted = new CompletableFuture<>();
        CompletableFuture<NetioConnection> over = new CompletableFuture<>();
        DisposableServer server = server(backend).doOnConnection(accepted::complete).bindNow();
        NetioClient client = client(backend, server).doOnDisconnected(over::complete).doOnConnected(connection -> {
            throw new IllegalStateException("thrown by a hook of the client");
        });
        assertThatThrownBy(client::connectNow).isInstanceOf(IllegalStateException.class).hasMessageContaining("of the client");
        accepted.orTimeout(30, TimeUnit.SECONDS).join().onDispose().block(PATIENCE);
        assertThat(over.orTimeout(30, TimeUnit.SECONDS).join().isDisposed()).isTrue();
        DisposableServer other = server(backend).doOnConnection(connection -> {
            throw new IllegalStateException("thrown by a hook of the server");
        }).bindNow();
        client(backend, other).connect().flatMap(NetioConnection::onDispose).block(PATIENCE);
    }

    @ParameterizedTest
    @EnumSource(names = {"LIBFABRIC", "TCP"})
    void shouldLogWhereAHandlerFailed(BackendType backend) {
        try (Warnings warnings = new Warnings()) {
            DisposableServer server = server(backend).handle((in, out) -> Mono.fromRunnable(LifecycleTest::fail)).bindNow();
            client(backend, server).connect().flatMap(NetioConnection::onDispose).block(PATIENCE);
            Link.await(() -> warnings.text().contains("LifecycleTest.fail(LifecycleTest.java:"), warnings::text);
            assertThat(warnings.text()).contains("ended: its handler failed").contains("the handler's own");
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"LIBFABRIC", "TCP"})
    void shouldNotWarnOfAPeerThatLeavesInOrder(BackendType backend) {
        try (Warnings warnings = new Warnings()) {
            CompletableFuture<NetioConnection> accepted = new CompletableFuture<>();
            DisposableServer server = server(backend).doOnConnection(accepted::complete)
                    .handle((in, out) -> out.send(Flux.never())).bindNow();
            client(backend, server).connectNow().dispose();
            accepted.orTimeout(30, TimeUnit.SECONDS).join().onDispose().block(PATIENCE);
            DisposableServer next = server(backend).handle((in, out) -> Mono.fromRunnable(LifecycleTest::fail)).bindNow();
            client(backend, next).connect().flatMap(NetioConnection::onDispose).block(PATIENCE);
            Link.await(() -> warnings.text().contains("ended: its handler failed"), warnings::text);
            assertThat(warnings.text()).doesNotContain("NetioAbortedException");
        }
    }

    @Test
    void shouldRefuseAtOnceWhatIsMissing() {
        NetioClient any = NetioClient.create();
        assertThatThrownBy(() -> any.framing(null)).isInstanceOf(NullPointerException.class).hasMessage("framing");
    }

    @Test
    void shouldLogHandlersThatFailAsOftenAsOtherWarningsOnly() {
        try (Warnings warnings = new Warnings()) {
            DisposableServer server = server(BackendType.TCP).handle((in, out) -> Mono.fromRunnable(LifecycleTest::fail))
                    .bindNow();
            NetioClient client = client(BackendType.TCP, server);
            Flux.range(0, LogBudget.LINES + 20)
                    .concatMap(i -> client.connect().flatMap(NetioConnection::onDispose).onErrorResume(gone -> Mono.empty()))
                    .blockLast(PATIENCE);
            server.disposeNow(PATIENCE);
            assertThat(warnings.text().split("ended: its handler failed", -1)).hasSize(LogBudget.LINES + 1);
            assertThat(warnings.text()).contains("These are " + LogBudget.LINES + " warnings in a minute");
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"LIBFABRIC", "TCP"})
    void shouldRefuseMoreConnectionsThanItIsToHave(BackendType backend) {
        try (Warnings warnings = new Warnings()) {
            DisposableServer server = server(backend).maxConnections(2).bindNow();
            NetioClient client = client(backend, server);
            NetioConnection first = client.connectNow();
            NetioConnection second = client.connectNow();
            for (int i = 0; i < 3; i++) {
                assertThatThrownBy(client::connectNow).isInstanceOf(NetioConnectException.class);
            }
            Link.await(() -> server.connections() == 2, () -> "the server has both");
            assertThat(warnings.text()).contains("2 connections are open").contains("maxConnections sets how many there may be");
            first.dispose();
            Link.await(() -> server.connections() == 1, () -> "the first stays");
            NetioConnection third = client.connect().retryWhen(Retry.fixedDelay(1_000, Duration.ofMillis(10))).block(PATIENCE);
            assertThat(List.of(second, third)).noneMatch(NetioConnection::isDisposed);
        }
    }

    /** Those of eight attempts at the same moment that were not refused. */
    private static List<NetioConnection> connectEight(NetioClient client) {
        return Flux.range(0, 8).flatMap(i -> client.connect()
                .onErrorResume(NetioConnectException.class, refused -> Mono.empty())).collectList().block(PATIENCE);
    }

    private static void disposeAll(List<NetioConnection> connected, DisposableServer server) {
        connected.forEach(connection -> connection.disposeNow(PATIENCE));
        Link.await(() -> server.connections() == 0, () -> "their places are free");
    }

    @ParameterizedTest
    @EnumSource(names = {"LIBFABRIC", "TCP"})
    void shouldRefuseMoreConnectionsOfAnAddressThanItMayHave(BackendType backend) {
        try (Warnings warnings = new Warnings()) {
            DisposableServer server = server(backend).maxConnectionsPerAddress(2).bindNow();
            NetioClient client = client(backend, server);
            for (int round = 0; round < 20; round++) {
                List<NetioConnection> connected = connectEight(client);
                assertThat(connected).as("round %s", round).hasSize(2).noneMatch(NetioConnection::isDisposed);
                Link.await(() -> server.connections() == 2, () -> "the server has both");
                disposeAll(connected, server);
            }
            assertThat(warnings.text()).contains("2 are open from there", "maxConnectionsPerAddress sets how many there may be");
        }
        assertThatThrownBy(() -> server(backend).maxConnectionsPerAddress(0)).isInstanceOf(IllegalArgumentException.class)
                .hasMessage("maxConnectionsPerAddress must be at least 1: 0");
    }

    /** They say nothing. */
    @Test
    void shouldHaveRoomForOthersBesideAnAddressThatOpensMany() throws IOException {
        DisposableServer server = server(BackendType.TCP).host("127.0.0.1").maxConnections(8).maxConnectionsPerAddress(4)
                .bindNow();
        List<Socket> silent = new ArrayList<>();
        try {
            for (int i = 0; i < 40; i++) {
                Socket socket = new Socket();
                silent.add(socket);
                socket.bind(new InetSocketAddress("127.0.0.77", 0));
                socket.connect(server.address());
                socket.setSoTimeout((int) PATIENCE.toMillis());
                socket.getInputStream().read(); // its handshake, or the end
            }
            NetioClient client = client(BackendType.TCP, server).host("127.0.0.1");
            List<NetioConnection> connected = Flux.range(0, 4).flatMap(i -> client.connect()).collectList().block(PATIENCE);
            assertThat(connected).hasSize(4).noneMatch(NetioConnection::isDisposed);
        } finally {
            for (Socket socket : silent) {
                socket.close();
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"LIBFABRIC", "TCP"})
    void shouldAskForTheAddressAtEachAttempt(BackendType backend) {
        DisposableServer first = server(backend).bindAddress(() -> new InetSocketAddress(TestSettings.ADDRESS, 0)).bindNow();
        DisposableServer second = server(backend).bindNow();
        Queue<DisposableServer> servers = new ConcurrentLinkedQueue<>(List.of(first, second));
        NetioClient client = client(backend, first).port(1).remoteAddress(() -> servers.remove().address());
        assertThat(client.connectNow().remoteAddress()).isEqualTo(first.address());
        assertThat(client.connectNow().remoteAddress()).isEqualTo(second.address());
        assertThatThrownBy(client::connectNow).isInstanceOf(NoSuchElementException.class); // the supplier's own
        assertThatThrownBy(client.remoteAddress(() -> null)::connectNow).isInstanceOf(NullPointerException.class)
                .hasMessageContaining("supplier of the address");
        assertThat(client.port(second.port()).connectNow().remoteAddress()).isEqualTo(second.address());
    }

    /** Who is told to be connected has a place, also among many that come at the same moment. */
    @ParameterizedTest
    @EnumSource(names = {"LIBFABRIC", "TCP"})
    void shouldConnectNoMoreThanItIsToHaveAtTheSameMoment(BackendType backend) {
        try (Warnings warnings = new Warnings()) {
            DisposableServer server = server(backend).maxConnections(1).bindNow();
            NetioClient client = client(backend, server);
            for (int round = 0; round < 10; round++) {
                List<NetioConnection> connected = connectEight(client);
                assertThat(connected).as("round %s", round).hasSizeLessThanOrEqualTo(1).noneMatch(NetioConnection::isDisposed);
                disposeAll(connected, server);
            }
            assertThat(warnings.text()).contains("maxConnections sets how many there may be");
        }
    }

    private static void fail() {
        throw new IllegalArgumentException("the handler's own");
    }

    @ParameterizedTest
    @EnumSource(names = {"LIBFABRIC", "TCP"})
    void shouldShowAHandlerItsConnection(BackendType backend) {
        CompletableFuture<NetioConnection> accepted = new CompletableFuture<>();
        List<NetioConnection> seen = new CopyOnWriteArrayList<>();
        DisposableServer server = server(backend).doOnConnection(accepted::complete).handle((in, out) -> {
            seen.addAll(List.of(in.connection(), in.connection().connection(), in.connection().stream(7).connection()));
            return out.send(Flux.just(ByteBuffer.allocate(4)));
        }).bindNow();
        assertThat(client(backend, server).connectNow().receive().count().block(PATIENCE)).isEqualTo(1);
        assertThat(seen).hasSize(3).containsOnly(accepted.join());
    }

    @ParameterizedTest
    @EnumSource(names = {"LIBFABRIC", "TCP"})
    void shouldWaitForConnectionsWhenShutDownAndCloseThemAtTheDeadline(BackendType backend) {
        CompletableFuture<NetioConnection> accepted = new CompletableFuture<>();
        DisposableServer server = server(backend).doOnConnection(accepted::complete).bindNow();
        NetioConnection connection = client(backend, server).connectNow();
        accepted.orTimeout(30, TimeUnit.SECONDS).join();
        assertThat(server.connections()).isEqualTo(1);
        CompletableFuture<Void> patient = server.shutdown(PATIENCE).toFuture();
        server.onDispose().block(PATIENCE);
        assertThat(patient).isNotDone();
        connection.dispose();
        patient.orTimeout(30, TimeUnit.SECONDS).join();
        CompletableFuture<NetioConnection> held = new CompletableFuture<>();
        DisposableServer other = server(backend).doOnConnection(held::complete).bindNow();
        NetioConnection open = client(backend, other).connectNow();
        held.orTimeout(30, TimeUnit.SECONDS).join();
        other.disposeNow(Duration.ofMillis(50));
        assertThat(held.join().isDisposed()).isTrue();
        open.onDispose().block(PATIENCE);
    }

    @ParameterizedTest
    @EnumSource(names = {"LIBFABRIC", "TCP"})
    void shouldSpreadOpenConnectionsOverTheLoops(BackendType backend) {
        Set<String> threads = ConcurrentHashMap.newKeySet();
        DisposableServer server = server(backend).doOnConnection(connection -> {
            threads.add(Thread.currentThread().getName());
            connection.receive().subscribe(message -> threads.add(Thread.currentThread().getName()), error -> { });
        }).bindNow();
        for (int i = 0; i < 4; i++) {
            client(backend, server).connectNow().send(Flux.just(ByteBuffer.allocate(4).putInt(0, i))).block(PATIENCE);
        }
        Link.await(() -> threads.size() >= 2, threads::toString); // over plain TCP, delivered is not yet received
        assertThat(threads).containsExactlyInAnyOrder("test-1", "test-2");
    }

    @ParameterizedTest
    @EnumSource(names = {"LIBFABRIC", "TCP"})
    void shouldLetConnectionsEndBeforeTheLoopsDo(BackendType backend) {
        CompletableFuture<NetioConnection> accepted = new CompletableFuture<>();
        DisposableServer server = server(backend).doOnConnection(accepted::complete).bindNow();
        NetioConnection connection = client(backend, server).connectNow();
        accepted.orTimeout(30, TimeUnit.SECONDS).join();
        CompletableFuture<Void> ended = loops.disposeLater(PATIENCE).toFuture();
        server.onDispose().block(PATIENCE);
        assertThat(loops.isDisposed()).isTrue();
        assertThatThrownBy(() -> client(backend, server).connectNow()).hasMessageContaining("disposed of");
        assertThat(ended).isNotDone();
        assertThat(connection.isDisposed()).isFalse();
        connection.dispose();
        ended.orTimeout(30, TimeUnit.SECONDS).join();
    }

    @ParameterizedTest
    @EnumSource(names = {"LIBFABRIC", "TCP"})
    void shouldEndLoopsAtTheDeadlineWithAllThatIsOnThem(BackendType backend) {
        DisposableServer server = server(backend).bindNow();
        NetioConnection connection = client(backend, server).connectNow();
        loops.disposeLater(Duration.ofMillis(50)).block(PATIENCE);
        assertThat(connection.isDisposed()).isTrue();
        server.onDispose().block(PATIENCE);
    }

    @ParameterizedTest
    @EnumSource(names = {"LIBFABRIC", "TCP"})
    void shouldTellThatServersHaveEndedWithTheirLoops(BackendType backend) {
        DisposableServer server = server(backend).bindNow();
        loops.dispose();
        server.onDispose().block(PATIENCE);
    }
}
