// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.NetioClient;
import io.reactivenetio.NetioLoops;
import io.reactivenetio.NetioMetrics;
import io.reactivenetio.NetioServer;
import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.api.Network;
import io.reactivenetio.api.SharedConnection;
import io.reactivenetio.connection.LoopContext;
import io.reactivenetio.connection.RdmaDevices;
import io.reactivenetio.simulated.SimulatedNetwork.Reach;
import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.backend.Addresses;
import io.reactivenetio.transport.backend.BackendCallbacks;
import io.reactivenetio.transport.backend.BackendConfig;
import io.reactivenetio.transport.backend.ConnectionParameters;
import io.reactivenetio.transport.backend.NetworkBackend;
import io.reactivenetio.transport.exceptions.NetioBindException;
import io.reactivenetio.transport.exceptions.NetioConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

/** What AUTO chooses between two hosts that have RDMA, or not, on a virtual clock. */
class FastestNetworkTest {
    private static final String HOST = "10.0.0.1";
    private static final RdmaDevices ONE = new RdmaDevices(List.of("mlx5_0"), false);
    private static final Duration HEAD_START = Duration.ofMillis(250);

    private final VirtualMachine machine = new VirtualMachine(1);
    private final WorldNetwork network = new WorldNetwork(machine, new WorldNetwork.Weather(20_000, 0, 0, 0, false));
    private final List<NetioLoops> loops = new ArrayList<>();
    private final List<Object> signals = new ArrayList<>();
    private final List<NetioConnection> accepted = new ArrayList<>();
    private RdmaDevices atServer = ONE;
    private RdmaDevices atClient = ONE;
    private NetioServer server;
    private NetioClient client;

    @BeforeAll
    static void install() {
        SimulatedSchedulers.install();
    }

    @AfterAll
    static void uninstall() {
        SimulatedSchedulers.uninstall();
    }

    @BeforeEach
    void enter() {
        SimulatedSchedulers.enter(machine);
        server = NetioServer.create().host(HOST).runOn(loops("server", () -> atServer)).doOnConnection(accepted::add);
        client = NetioClient.create().host(HOST).runOn(loops("client", () -> atClient));
    }

    @AfterEach
    void leave() {
        loops.forEach(NetioLoops::dispose);
        pass(Duration.ofSeconds(10));
        SimulatedSchedulers.leave();
        assertThat(network.ways().open()).as("open connections").isEmpty();
        assertThat(machine.violations()).isEmpty();
    }

    private NetioLoops loops(String name, Supplier<RdmaDevices> devices) {
        LoopContext context = network.context(name, devices);
        NetioLoops made = NetioLoops.of(context.loop());
        loops.add(made);
        return made;
    }

    private void pass(Duration time) {
        machine.run(machine.now() + time.toNanos(), 1_000_000);
    }

    private <T> Disposable subscribe(Mono<T> mono) {
        signals.clear();
        return mono.subscribe(signals::add, signals::add);
    }

    private DisposableServer bind() {
        return bind(server);
    }

    private DisposableServer bind(NetioServer from) {
        subscribe(from.bind());
        pass(Duration.ofSeconds(1));
        assertThat(signals).singleElement().isInstanceOf(DisposableServer.class);
        DisposableServer bound = (DisposableServer) signals.getFirst();
        client = client.port(bound.port());
        return bound;
    }

    private NetioConnection connect(NetioClient from, Duration within) {
        subscribe(from.connect());
        pass(within);
        assertThat(signals).singleElement().isInstanceOf(NetioConnection.class);
        return (NetioConnection) signals.getFirst();
    }

    private Network connected() {
        NetioConnection connection = connect(client, Duration.ofMillis(10));
        assertThat(accepted.getLast().network()).as("at the server").isEqualTo(connection.network());
        return connection.network();
    }

    private void reach(Network over, String host, Reach how) {
        network.ways().reach(over.backend(), InetAddress.ofLiteral(host), how);
    }

    private String failure(Duration within) {
        subscribe(client.connect());
        pass(within);
        assertThat(signals).singleElement().isInstanceOf(NetioConnectException.class);
        return ((Throwable) signals.getFirst()).getMessage();
    }

    @Test
    void shouldTakeRdmaWhereBothEndsHaveIt() {
        NetioMetrics metrics = new NetioMetrics();
        client = client.metrics(metrics);
        DisposableServer bound = bind();
        assertThat(bound.networks()).containsExactly(Network.VERBS, Network.PLAIN_TCP);
        assertThat(connected()).isEqualTo(Network.VERBS);
        assertThat(accepted).hasSize(1);
        assertThat(client.state().network()).isEqualTo(Network.VERBS);
        assertThat(metrics.statistics().networks()).isEqualTo(Map.of(Network.VERBS, 1));
    }

    @Test
    void shouldTakePlainTcpWhereTheServerHasNoDevice() {
        atServer = RdmaDevices.NONE;
        assertThat(bind().networks()).containsExactly(Network.PLAIN_TCP);
        assertThat(connected()).as("at once, as it was refused").isEqualTo(Network.PLAIN_TCP);
    }

    @Test
    void shouldTakePlainTcpWhereTheClientHasNoDevice() {
        atClient = RdmaDevices.NONE;
        bind();
        assertThat(connected()).isEqualTo(Network.PLAIN_TCP);
    }

    @Test
    void shouldTakePlainTcpWithinAMachine() {
        server = server.host("127.0.0.1");
        client = client.host("127.0.0.1");
        assertThat(bind().networks()).containsExactly(Network.PLAIN_TCP);
        assertThat(connected()).isEqualTo(Network.PLAIN_TCP);
    }

    @Test
    void shouldTakePlainTcpAfterTheHeadStartWhereRdmaDoesNotAnswer() {
        bind();
        reach(Network.VERBS, HOST, Reach.SILENT);
        subscribe(client.connect());
        pass(HEAD_START);
        assertThat(signals).isEmpty();
        pass(Duration.ofMillis(10));
        assertThat(signals).singleElement().isInstanceOfSatisfying(NetioConnection.class, connection ->
                assertThat(connection.network()).isEqualTo(Network.PLAIN_TCP));
        pass(Duration.ofSeconds(10));
        assertThat(network.ways().open()).as("the attempt that was silent is given up").hasSize(2);
    }

    @Test
    void shouldTakeRdmaThoughTheFirstAddressDoesNotHaveIt() {
        network.ways().name("detector", List.of(InetAddress.ofLiteral(HOST), InetAddress.ofLiteral("10.0.0.2")));
        client = client.host("detector");
        bind();
        reach(Network.VERBS, HOST, Reach.REFUSES);
        assertThat(connected()).isEqualTo(Network.VERBS);
        reach(Network.VERBS, HOST, Reach.SILENT);
        assertThat(connect(client, HEAD_START.plusMillis(10)).network()).isEqualTo(Network.VERBS);
    }

    @Test
    void shouldNameEachAttemptThatFailed() {
        bind();
        reach(Network.VERBS, HOST, Reach.SILENT);
        reach(Network.PLAIN_TCP, HOST, Reach.REFUSES);
        String where = HOST + ":" + bind(server.port(0)).port();
        assertThat(failure(Duration.ofSeconds(6))).isEqualTo("connecting to " + where + " took longer than 5000 ms (" + where
                + " over libfabric verbs: no answer; " + where + " over plain TCP: nobody listens on " + where + ")");
        reach(Network.VERBS, HOST, Reach.REFUSES);
        assertThat(failure(Duration.ofMillis(10))).isEqualTo("cannot connect to " + where + " (" + where
                + " over libfabric verbs: nobody listens on " + where + "; " + where + " over plain TCP: nobody listens on "
                + where + ")");
    }

    @Test
    void shouldServeThoseWhoNameTheirNetwork() {
        bind();
        assertThat(connect(client.backend(BackendType.TCP), Duration.ofMillis(10)).network()).isEqualTo(Network.PLAIN_TCP);
        assertThat(connect(client.provider("verbs"), Duration.ofMillis(10)).network()).isEqualTo(Network.VERBS);
        assertThat(connect(client.provider("verbs").backend(BackendType.AUTO), Duration.ofMillis(10)).network())
                .isEqualTo(Network.VERBS);
        assertThat(accepted).hasSize(3);
    }

    @Test
    void shouldFindTheOtherNetworkWhenTheDeviceIsGone() {
        bind();
        SharedConnection shared = client.shared();
        NetioConnection first = connection(shared);
        assertThat(first.network()).isEqualTo(Network.VERBS);
        atClient = RdmaDevices.NONE;
        first.dispose();
        pass(Duration.ofMillis(10));
        NetioConnection second = connection(shared);
        assertThat(second).isNotSameAs(first);
        assertThat(second.network()).isEqualTo(Network.PLAIN_TCP);
        atClient = ONE;
        second.dispose();
        pass(Duration.ofMillis(10));
        assertThat(connection(shared).network()).isEqualTo(Network.VERBS);
    }

    private NetioConnection connection(SharedConnection shared) {
        subscribe(shared.get());
        pass(Duration.ofMillis(10));
        assertThat(signals).singleElement().isInstanceOf(NetioConnection.class);
        return (NetioConnection) signals.getFirst();
    }

    @Test
    void shouldListenWhereBothNetworksHaveThePort() {
        int taken = bind().port() + 1;
        NetworkBackend other = network.create(BackendType.LIBFABRIC, BackendConfig.defaults(),
                network.context("other", () -> ONE).loop(), new BackendCallbacks() { });
        for (int port = taken; port < taken + 10; port++) {
            other.openListenEndpoint(new InetSocketAddress(HOST, port), ConnectionParameters.defaults(), null);
        }
        DisposableServer free = bind(server.port(0));
        assertThat(free.port()).isGreaterThanOrEqualTo(taken + 10);
        assertThat(free.networks()).hasSize(2);
        subscribe(server.port(taken).bind());
        pass(Duration.ofSeconds(1));
        assertThat(signals).singleElement().isInstanceOf(NetioBindException.class);
        assertThat((Throwable) signals.getFirst()).hasMessageContaining(
                "cannot listen on 10.0.0.1:" + taken + " over libfabric verbs, where another program has the port");
        assertThat(bind(server.port(taken).backend(BackendType.TCP)).port()).as("given back").isEqualTo(taken);
    }

    @Test
    void shouldListenOnPlainTcpOnlyWhereTheDeviceTakesTcpsPorts() {
        atServer = new RdmaDevices(List.of("siw0"), true);
        assertThat(bind().networks()).containsExactly(Network.PLAIN_TCP);
        assertThat(connected()).isEqualTo(Network.PLAIN_TCP);
    }

    @Test
    void shouldLeaveNothingWhenItIsCancelled() {
        bind();
        reach(Network.VERBS, HOST, Reach.SILENT);
        for (Duration after : List.of(Duration.ZERO, Duration.ofMillis(100), HEAD_START, HEAD_START.plusNanos(10_000))) {
            Disposable attempt = subscribe(client.connect());
            pass(after);
            attempt.dispose();
            pass(Duration.ofSeconds(10));
            assertThat(network.ways().open()).as("after " + after).isEmpty();
            assertThat(signals).isEmpty();
        }
    }

    /** At each moment of the way: the look up, either network's request and answer, the handshake, and behind it. */
    @Test
    void shouldLeaveNothingWheneverItIsCancelled() {
        network.ways().name("detector", List.of(InetAddress.ofLiteral("10.0.0.2"), InetAddress.ofLiteral(HOST)));
        client = client.host("detector");
        bind();
        for (Reach verbs : List.of(Reach.ANSWERS, Reach.REFUSES)) {
            reach(Network.VERBS, HOST, verbs);
            int late = 0;
            for (long nanos = 0; late < 3; nanos += 7_000) {
                Disposable attempt = subscribe(client.connect());
                pass(Duration.ofNanos(nanos));
                late += signals.size();
                attempt.dispose();
                signals.forEach(connection -> ((NetioConnection) connection).dispose());
                pass(Duration.ofSeconds(10));
                assertThat(network.ways().open()).as("after " + nanos + " ns, verbs " + verbs).isEmpty();
                assertThat(signals).hasSizeLessThanOrEqualTo(1);
            }
        }
    }

    @Test
    void shouldLookTheNameUpAnewForEachConnection() {
        network.ways().name("detector", List.of(InetAddress.ofLiteral(HOST)));
        client = client.host("detector");
        DisposableServer before = bind();
        SharedConnection shared = client.shared();
        NetioConnection first = connection(shared);
        assertThat(Addresses.inet(first.remoteAddress()).getAddress()).isEqualTo(InetAddress.ofLiteral(HOST));
        before.dispose();
        first.dispose();
        pass(Duration.ofSeconds(1));
        bind(server.host("10.0.0.2").port(before.port()));
        network.ways().name("detector", List.of(InetAddress.ofLiteral("10.0.0.2")));
        assertThat(Addresses.inet(connection(shared).remoteAddress()).getAddress()).isEqualTo(InetAddress.ofLiteral("10.0.0.2"));
    }

    @Test
    void shouldListenOnAllAddressesOfTheDevices() {
        DisposableServer bound = bind(server.host("0.0.0.0"));
        assertThat(bound.networks()).containsExactly(Network.VERBS, Network.PLAIN_TCP);
        assertThat(Addresses.inet(bound.address()).getAddress().isAnyLocalAddress()).isTrue();
        assertThat(connected()).isEqualTo(Network.VERBS);
        assertThat(connect(client.host("127.0.0.1"), Duration.ofMillis(10)).network()).isEqualTo(Network.PLAIN_TCP);
    }

    @Test
    void shouldStopListeningOnEachNetwork() {
        DisposableServer bound = bind();
        bound.dispose();
        pass(Duration.ofMillis(10));
        assertThat(failure(Duration.ofMillis(10))).contains("over libfabric verbs: nobody listens", "over plain TCP: nobody");
    }
}
