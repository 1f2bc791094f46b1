// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import static io.reactivenetio.testing.TestSettings.ADDRESS;
import static io.reactivenetio.testing.TestSettings.ADDRESS6;
import static io.reactivenetio.testing.TestSettings.NOBODY;
import static io.reactivenetio.testing.TestSettings.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.api.Network;
import io.reactivenetio.api.SharedConnection;
import io.reactivenetio.connection.RdmaDevices;
import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.exceptions.NetioConnectException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Flux;

/** What AUTO chooses on a machine that has an RDMA device. {@code ./netio test --rdma auto} runs it where there is one. */
@Timeout(300)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class RdmaNetworkTest {
    private final BlockingQueue<NetioConnection> accepted = new LinkedTransferQueue<>();
    private final NetioLoops loops = NetioLoops.create("test", 2);
    private final NetioServer server = NetioServer.create().host(ADDRESS).runOn(loops).doOnConnection(connection -> {
        accepted.add(connection);
        connection.send(connection.receive()).onErrorComplete().subscribe();
    });
    private final NetioClient client = NetioClient.create().host(ADDRESS).runOn(loops).connectTimeout(PATIENCE);
    private DisposableServer bound;

    @BeforeEach
    void bind() {
        assumeTrue(RdmaDevices.ofThisMachine().arePresent() && !ADDRESS.startsWith("127."), "no RDMA device");
        bound = server.bindNow(PATIENCE);
    }

    @AfterEach
    void stop() {
        loops.dispose();
    }

    private NetioConnection connect(NetioClient from, Network expected) throws Exception {
        NetioConnection connection = from.connectNow(PATIENCE);
        assertThat(connection.network()).isEqualTo(expected);
        assertThat(accepted.poll(PATIENCE.toMillis(), TimeUnit.MILLISECONDS).network()).isEqualTo(expected);
        assertThat(echo(connection)).hasSize(100);
        return connection;
    }

    private static List<ByteBuffer> echo(NetioConnection connection) {
        connection.send(Flux.range(0, 100).map(i -> ByteBuffer.allocate(4).putInt(0, i)))
                .onErrorComplete().subscribe();
        return connection.receive().take(100).collectList().block(PATIENCE);
    }

    @Test
    void shouldTakeRdmaAtTheAddressOfTheDevice() throws Exception {
        assertThat(bound.networks()).containsExactly(Network.VERBS, Network.PLAIN_TCP);
        connect(client.port(bound.port()), Network.VERBS);
    }

    @Test
    void shouldServeThoseWhoNameTheirNetworkAtTheSamePort() throws Exception {
        connect(client.port(bound.port()).backend(BackendType.TCP), Network.PLAIN_TCP);
        connect(client.port(bound.port()).provider("verbs"), Network.VERBS);
    }

    @Test
    void shouldTakePlainTcpWithinTheMachine() throws Exception {
        DisposableServer all = server.host("0.0.0.0").bindNow(PATIENCE);
        assertThat(all.networks()).containsExactly(Network.VERBS, Network.PLAIN_TCP);
        connect(client.port(all.port()).host("127.0.0.1"), Network.PLAIN_TCP);
        connect(client.port(all.port()), Network.VERBS);
        assertThat(server.host("127.0.0.1").bindNow(PATIENCE).networks()).containsExactly(Network.PLAIN_TCP);
    }

    @Test
    void shouldTakeRdmaOverIpv6() throws Exception {
        DisposableServer six = server.host(ADDRESS6).bindNow(PATIENCE);
        assertThat(six.networks()).containsExactly(Network.VERBS, Network.PLAIN_TCP);
        connect(client.host(ADDRESS6).port(six.port()), Network.VERBS);
    }

    @Test
    void shouldTakePlainTcpWhereTheServerOffersNothingElse() throws Exception {
        DisposableServer plain = server.backend(BackendType.TCP).bindNow(PATIENCE);
        connect(client.port(plain.port()), Network.PLAIN_TCP);
    }

    /** Within a time limit that leaves plain TCP some behind the head start, which is long in the guest. */
    @Test
    void shouldNameBothAttemptsWhereNobodyAnswers() {
        assumeTrue(!NOBODY.isEmpty(), "no address that never answers");
        assertThatThrownBy(() -> client.host(NOBODY).port(4711).connectTimeout(Duration.ofSeconds(8)).connectNow(PATIENCE))
                .isInstanceOf(NetioConnectException.class)
                .hasMessageContaining(NOBODY + ":4711 over libfabric verbs").hasMessageContaining(" over plain TCP");
    }

    /**
     * The last: the device does not come back. Soft-RoCE's is gone when all processes have closed it, so the command that removes
     * it waits for the end of this one. A card's driver takes it from them.
     */
    @Order(Integer.MAX_VALUE)
    @Test
    void shouldFindTheOtherNetworkWhenTheDeviceIsRemoved() throws Exception {
        assumeTrue("1".equals(System.getenv("NETIO_RDMA_GUEST")), "not in the guest");
        SharedConnection shared = client.port(bound.port()).shared();
        NetioConnection first = shared.get().block(PATIENCE);
        assertThat(first.network()).isEqualTo(Network.VERBS);
        new ProcessBuilder("rdma", "link", "delete", "rxe0").inheritIO().start();
        first.onDispose().onErrorComplete().block(PATIENCE);
        NetioConnection second = shared.get().block(PATIENCE);
        assertThat(second.network()).isEqualTo(Network.PLAIN_TCP);
        assertThat(echo(second)).hasSize(100);
    }
}
