// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import static io.reactivenetio.testing.TestSettings.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.api.ConnectionObserver;
import io.reactivenetio.api.ConnectionObserver.State;
import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.EndSignal;
import io.reactivenetio.api.MetricsRecorder;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.api.NetioStatistics;
import io.reactivenetio.api.RequestOutcome;
import io.reactivenetio.api.RequestSide;
import io.reactivenetio.loop.LoopStatistics;
import io.reactivenetio.transport.BackendType;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** What observers and recorders get to know. */
@Timeout(180)
class MetricsTest {
    private static final int MESSAGES = 1_000;

    private final NetioLoops loops = NetioLoops.create("metrics", 2);

    @AfterEach
    void stop() {
        loops.dispose();
    }

    private NetioServer server(BackendType backend) {
        return NetioServer.create().framing(Framing.raw().endSignal(EndSignal.EMPTY_MESSAGE)).backend(backend).runOn(loops)
                .receiveBuffers(64, 8);
    }

    private NetioClient client(BackendType backend, DisposableServer server) {
        return NetioClient.create().framing(Framing.raw().endSignal(EndSignal.EMPTY_MESSAGE)).backend(backend).runOn(loops)
                .receiveBuffers(64, 8)
                .port(server.port());
    }

    private static Flux<ByteBuffer> messages() {
        return Flux.range(0, MESSAGES).map(Link::message);
    }

    @ParameterizedTest
    @EnumSource(names = {"LIBFABRIC", "TCP"})
    void shouldTellEveryObserverOfTheLifeOfEachConnectionInOrder(BackendType backend) {
        List<String> seen = new CopyOnWriteArrayList<>();
        ConnectionObserver first = (connection, state) -> seen.add("first " + state);
        List<State> atServer = new CopyOnWriteArrayList<>();
        DisposableServer server = server(backend).observe((connection, state) -> atServer.add(state)).bindNow();
        NetioConnection connection = client(backend, server)
                .observe(first.then((c, state) -> seen.add("second " + state))).connectNow();
        assertThat(seen).containsExactly("first CONNECTED", "second CONNECTED");
        connection.dispose();
        Link.await(() -> seen.size() == 4 && atServer.size() == 2, () -> seen + " " + atServer);
        assertThat(seen).endsWith("first DISCONNECTED", "second DISCONNECTED");
        assertThat(atServer).containsExactly(State.CONNECTED, State.DISCONNECTED);
        server.disposeNow(PATIENCE);
    }

    @ParameterizedTest
    @EnumSource(names = {"LIBFABRIC", "TCP"})
    void shouldAddUpWhatConnectionsDoAndKeepItWhenTheyEnd(BackendType backend) {
        NetioMetrics receiving = new NetioMetrics();
        NetioMetrics sending = new NetioMetrics();
        DisposableServer server = server(backend).metrics(receiving).handle((in, out) -> in.receive().then()).bindNow();
        NetioClient client = client(backend, server).metrics(sending);
        for (int i = 1; i <= 3; i++) {
            NetioConnection connection = client.connectNow();
            assertThat(sending.statistics().connections()).isEqualTo(1);
            connection.send(messages()).then(connection.completeOutbound()).block(PATIENCE);
            long bytes = 8L * MESSAGES * i;
            Link.await(() -> receiving.statistics().total().receivedBytes() == bytes, () -> receiving.statistics().toString());
            connection.dispose();
            Link.await(() -> sending.statistics().connections() == 0, () -> sending.statistics().toString());
            assertThat(sending.statistics().connectionsOpened()).isEqualTo(i);
            assertThat(sending.statistics().total().sentBytes()).isEqualTo(bytes);
            assertThat(sending.statistics().total().sentMessages()).isEqualTo(i * (MESSAGES + 1L)); // with the empty one
        }
        Link.await(() -> receiving.statistics().connections() == 0, () -> receiving.statistics().toString());
        NetioStatistics end = receiving.statistics();
        assertThat(end.connectionsOpened()).isEqualTo(3);
        assertThat(end.total().receivedMessages()).isEqualTo(3L * MESSAGES);
        assertThat(end.total().credits()).isZero();
        server.disposeNow(PATIENCE);
    }

    @Test
    void shouldCountWhatEachLoopDoes() {
        assertThat(loops.statistics()).hasSize(2);
        long before = loops.statistics().stream().mapToLong(LoopStatistics::tasksRun).sum();
        loops.scheduler().schedule(() -> { });
        loops.scheduler().schedule(() -> { });
        // or more: a loop that has just begun has tasks of its own
        Link.await(() -> loops.statistics().stream().mapToLong(LoopStatistics::tasksRun).sum() >= before + 2, () -> "two tasks");
    }

    /** Whatever a recorder does, requests go on; several are told, in order. */
    @Test
    void shouldGoOnWhenARecorderFails() {
        List<String> told = new CopyOnWriteArrayList<>();
        MetricsRecorder failing = new MetricsRecorder() {
            @Override
            public void opened(NetioConnection connection) {
                told.add("opened");
            }

            @Override
            public void closed(NetioConnection connection) {
                told.add("closed");
            }

            @Override
            public void requestBegun(NetioConnection connection, RequestSide side) {
                told.add("begun " + side);
                throw new IllegalStateException("of the user's");
            }

            @Override
            public void requestEnded(NetioConnection connection, RequestSide side, RequestOutcome outcome, long nanos) {
                told.add(outcome + (nanos > 0 ? " in time" : ""));
                throw new IllegalStateException("of the user's");
            }
        };
        NetioMetrics behind = new NetioMetrics();
        TwoEnds.Connected ends = TwoEnds.connected(loops, BackendType.TCP, s -> s, c -> c.metrics(failing).metrics(behind));
        ends.server().respond(7, Mono::just).subscribe();
        try (Warnings warnings = new Warnings()) {
            assertThat(ends.client().requester(7).request(Link.message(1)).block(PATIENCE)).isNotNull();
            assertThat(warnings.text()).contains("a recorder of connection with");
        }
        assertThat(told).containsExactly("opened", "begun REQUESTER", "ANSWERED in time");
        assertThat(behind.statistics().requests().answered()).isEqualTo(1);
    }
}
