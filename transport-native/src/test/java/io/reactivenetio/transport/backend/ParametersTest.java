// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.exceptions.BackendUnavailableException;
import io.reactivenetio.transport.exceptions.NotSupportedException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What nobody can mean is an error before anything is opened: what was wrong, and the value. */
class ParametersTest {
    private static void expect(String message, ThrowingCallable call) {
        assertThatThrownBy(call).isInstanceOf(IllegalArgumentException.class).hasMessageContaining(message);
    }

    @Test
    void shouldRefuseConnectionParameters() {
        expect("receive buffers must be between 0 and 1048576: -1", () -> new ConnectionParameters(1, -1, 1, 1));
        expect("send buffers must be between 0 and 1048576: 1048577", () -> new ConnectionParameters(1, 1, 1, 1 << 20 | 1));
        expect("receive buffer size must be at least 1 byte: 0", () -> new ConnectionParameters(0, 1, 1, 1));
        expect("send buffer size must be at least 1 byte: -5", () -> new ConnectionParameters(1, 1, -5, 1));
        expect("receive buffer size must be at most 2147483639 bytes: 2147483647",
                () -> new ConnectionParameters(Integer.MAX_VALUE, 1, 1, 1));
        expect("send buffer size must be at most 2147483639 bytes: 2147483640",
                () -> new ConnectionParameters(1, 1, Integer.MAX_VALUE - 7, 1));
        expect("shared buffer size must be at most 2147483639 bytes: 2147483647", () -> new SharedBuffers(Integer.MAX_VALUE, 1));
        expect("no receive buffers to share",
                () -> new ConnectionParameters(1, 0, true, 1, 1, null, 0, 0, ConnectionData.none(), false));
        expect("56 bytes of connection data, and 55 can be carried", () -> ConnectionData.of(new byte[56]));
        try (MemoryRegion region = MemoryRegion.allocate(8)) {
            ConnectionParameters some = ConnectionParameters.defaults();
            expect("zero-copy buffers must be between", () -> some.withZeroCopy(region, 1, -1));
            expect("zero-copy buffer size must be at least 1 byte: 0", () -> some.withZeroCopy(region, 0));
            expect("no zero-copy sends in flight", () -> some.withZeroCopy(region, 8, 0));
        }
        expect("a region of at least 1 byte: 0", () -> MemoryRegion.allocate(0));
    }

    @Test
    void shouldRefuseConfigurations() {
        BackendConfig some = BackendConfig.defaults();
        expect("provider is blank", () -> some.withProvider(" "));
        expect("connectTimeout must be positive: PT0S", () -> some.withConnectTimeout(Duration.ZERO));
        expect("starvationTimeout must be positive: PT-1S", () -> some.withStarvationTimeout(Duration.ofSeconds(-1)));
        expect("keepAlive must be positive: PT0S", () -> some.withKeepAlive(Duration.ZERO));
        expect("maxConnections must be at least 1: 0", () -> some.withMaxConnections(0));
        expect("maxHandshakes must be at least 1: 0", () -> some.withMaxHandshakes(0));
        expect("shared buffer size must be at least 1 byte: 0", () -> new SharedBuffers(0, 1));
        expect("shared buffers must be between 1 and 1048576: 0", () -> new SharedBuffers(1, 0));
    }

    @Test
    void shouldRefuseGatherLists() {
        GatherList list = new GatherList();
        expect("a header of 17 bytes; at most 16", () -> list.header(ByteBuffer.allocate(17)));
        expect("must not be negative: -1, 4", () -> list.add(-1, 4));
        expect("must not be negative: 0, -4", () -> list.add(0, -4));
        for (int i = 0; i < GatherList.MAX_SPANS; i++) {
            list.add(i, 2);
        }
        assertThatThrownBy(() -> list.add(0, 1)).isInstanceOf(IllegalStateException.class).hasMessage("more than 16 spans");
        list.header(ByteBuffer.allocate(9)).header(ByteBuffer.allocate(3)); // the second replaces the first
        assertThat(List.of(list.bytes(), (long) list.spans(), (long) list.headerLength())).containsExactly(35L, 16L, 3L);
        assertThat(list.clear().bytes() + list.spans() + list.headerLength()).isZero();
    }

    @Test
    void shouldTakeTheModesProvider() {
        assertThat(BackendConfig.of(NetworkMode.RDMA).provider()).isEqualTo("verbs");
        assertThat(BackendConfig.of(NetworkMode.TCP).provider()).isEqualTo("tcp");
        assertThat(BackendConfig.of(NetworkMode.RDMA).withProvider("efa").provider()).isEqualTo("efa");
    }

    @Test
    void shouldWaitForEverWhereThatIsAsked() {
        Duration ever = ChronoUnit.FOREVER.getDuration();
        BackendConfig config = BackendConfig.defaults().withConnectTimeout(ever).withStarvationTimeout(ever).withKeepAlive(ever);
        ConnectionParameters few = new ConnectionParameters(64, 4, 64, 4);
        for (BackendType type : List.of(BackendType.LIBFABRIC, BackendType.TCP)) {
            try (Party server = new Party("server", type, config); Party client = new Party("client", type, config)) {
                Party.Pair pair = client.connect(server, server.listen(few.withSharedReceiveBuffers(64, 4)), few);
                pair.opened().stream(100, 64);
                Party.await(() -> pair.accepted().received == 100);
            }
        }
    }

    @Test
    void shouldLeaveNoBuffersOfABackendThereIsNot() {
        EventLoop loop = EventLoop.create("unused");
        try (Party party = new Party("client", BackendType.TCP, BackendConfig.defaults())) {
            BackendConfig config = BackendConfig.defaults().withProvider("nosuch")
                    .withSharedSendBuffers(new SharedBuffers(1 << 20, 8));
            long before = NativeMemory.arenas();
            for (int i = 0; i < 4; i++) {
                assertThatThrownBy(() -> NetworkBackend.create(BackendType.LIBFABRIC, config, loop, party))
                        .isInstanceOf(BackendUnavailableException.class);
            }
            assertThat(NativeMemory.arenas() - before).isLessThan(8 << 20);
        } finally {
            loop.close();
        }
    }

    @Test
    void shouldLeaveNoBuffersOfABackendWhoseLoopIsClosed() {
        EventLoop loop = EventLoop.create("closed");
        loop.close();
        try (Party party = new Party("client", BackendType.TCP, BackendConfig.defaults())) {
            BackendConfig config = BackendConfig.defaults().withSharedSendBuffers(new SharedBuffers(1 << 20, 8));
            for (BackendType type : List.of(BackendType.LIBFABRIC, BackendType.TCP)) {
                long before = NativeMemory.arenas();
                for (int i = 0; i < 4; i++) {
                    assertThatThrownBy(() -> NetworkBackend.create(type, config, loop, party))
                            .isInstanceOf(IllegalStateException.class);
                }
                assertThat(NativeMemory.arenas() - before).as("%s", type).isLessThan(8 << 20);
            }
        }
    }

    @Test
    void shouldNameTheProvidersThereAre() {
        EventLoop loop = EventLoop.create("unused");
        try (Party party = new Party("client", BackendType.LIBFABRIC, BackendConfig.defaults())) {
            assertThatThrownBy(() -> NetworkBackend.create(BackendType.LIBFABRIC,
                    BackendConfig.defaults().withProvider("nosuch"), loop, party))
                    .isInstanceOf(BackendUnavailableException.class).hasMessageContaining("'nosuch'").hasMessageContaining("tcp")
                    .hasMessageNotContaining("sockets");
        } finally {
            loop.close();
        }
    }

    /** libfabric takes its providers' names in any case. */
    @ParameterizedTest
    @ValueSource(strings = {"sockets", "SOCKETS"})
    void shouldRefuseTheProviderThatCannotClose(String provider) {
        EventLoop loop = EventLoop.create("unused");
        try (Party party = new Party("client", BackendType.LIBFABRIC, BackendConfig.defaults())) {
            assertThatThrownBy(() -> NetworkBackend.create(BackendType.LIBFABRIC,
                    BackendConfig.defaults().withProvider(provider), loop, party))
                    .isInstanceOf(NotSupportedException.class).hasMessageContaining("provider " + provider)
                    .hasMessageContaining("provider tcp");
        } finally {
            loop.close();
        }
    }

    @Test
    void shouldNotWaitForALoopThatNobodyRunsToListen() throws Exception {
        EventLoop loop = EventLoop.create("not run yet");
        try (Party party = new Party("other", BackendType.TCP, BackendConfig.defaults()); EventLoop closed = loop) {
            NetworkBackend backend = NetworkBackend.create(BackendType.TCP,
                    BackendConfig.defaults().withConnectTimeout(Duration.ofMillis(50)), loop, party);
            long pid = ProcessHandle.current().pid(); // an address of its own, so that nobody else is given the port meanwhile
            String own = "127." + (1 + pid / 65_536 % 250) + "." + pid / 256 % 256 + "." + pid % 256;
            int free;
            try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName(own))) {
                free = socket.getLocalPort();
            }
            InetSocketAddress address = new InetSocketAddress(own, free);
            assertThatThrownBy(() -> backend.openListenEndpoint(address, ConnectionParameters.defaults(), null))
                    .isInstanceOf(IllegalStateException.class).hasMessageContaining("no thread runs EventLoop not run yet");
            loop.start();
            backend.openListenEndpoint(address, ConnectionParameters.defaults(), null); // the late one is not in its way
            assertThat(closed.hasThread()).isTrue();
        }
    }

    @Test
    void shouldNotListTheProviderThatItRefuses() {
        assertThat(NetworkBackend.provider(BackendType.LIBFABRIC).interfaces()).extracting(FabricInterface::provider)
                .contains("tcp").doesNotContain("sockets");
    }
}
