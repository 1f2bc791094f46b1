// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.ffm.fabric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Two connections whose receiving ends take from one shared receive context. */
class FabricSharedReceiveTest {
    private static final int SIZE = 256;
    private static final int RECEIVED = 8192;
    private static final int SEND = 1_000_000;
    private static final long QUIET_NANOS = 100_000_000L;

    /** What a server received: the context of the receive and what the first byte says. */
    private record Arrival(long context, int value) {
    }

    private static final class TwoConnections implements AutoCloseable {
        final Loopback loopback = new Loopback();
        final FiPassiveEndpoint listener = loopback.listener();
        final InetSocketAddress where = listener.name();
        final FiMemoryRegion region = loopback.domain.register(loopback.memory, Fi.FI_SEND | Fi.FI_RECV, 1);
        final FiSharedReceive shared;
        final List<FiEndpoint> clients = new ArrayList<>();
        final List<FiEndpoint> servers = new ArrayList<>();

        TwoConnections() {
            shared = loopback.domain.openSharedReceiveContext(loopback.info);
            connect();
            connect();
        }

        private void connect() {
            FiEndpoint client;
            try (FiInfo destination = loopback.destination(where)) {
                client = loopback.endpoint(destination);
                client.connect(destination);
            }
            clients.add(client);
            loopback.expectEvent(Fi.FI_CONNREQ);
            try (FiInfo request = loopback.events.takeInfo()) {
                FiEndpoint server = loopback.domain.openEndpoint(request.sharedReceiveContext());
                server.bind(loopback.events);
                server.bind(loopback.completions, Fi.FI_TRANSMIT | Fi.FI_RECV);
                server.bind(shared);
                server.enable();
                server.accept();
                servers.add(server);
            }
            loopback.expectEvent(Fi.FI_CONNECTED);
            loopback.expectEvent(Fi.FI_CONNECTED);
        }

        long at(long offset) {
            return loopback.memory.address() + offset;
        }

        void post(int first, int count) {
            for (int i = first; i < first + count; i++) {
                assertThat(shared.recv(at(RECEIVED + (long) SIZE * i), SIZE, region.descriptor(), i)).isZero();
            }
        }

        void send(int client, int value) {
            loopback.memory.set(ValueLayout.JAVA_BYTE, value, (byte) value);
            assertThat(clients.get(client).send(at(value), 1, region.descriptor(), SEND)).isZero();
        }

        /** Waits for {@code count} arrivals, then a while for one too many. */
        List<Arrival> arrivals(int count) {
            List<Arrival> all = new ArrayList<>();
            long deadline = System.nanoTime() + 20_000_000_000L;
            long quiet = Long.MAX_VALUE;
            while (System.nanoTime() < Math.min(deadline, quiet)) {
                int read = loopback.completions.read(8);
                for (int i = 0; i < read; i++) {
                    long context = loopback.completions.context(i);
                    if (context != SEND) {
                        assertThat(loopback.completions.flags(i) & Fi.FI_RECV).isNotZero();
                        all.add(new Arrival(context, loopback.memory.get(ValueLayout.JAVA_BYTE, RECEIVED + SIZE * context)));
                    }
                }
                assertThat(read).isGreaterThanOrEqualTo(-Fi.FI_EAGAIN);
                if (all.size() >= count && quiet == Long.MAX_VALUE) {
                    quiet = System.nanoTime() + QUIET_NANOS;
                }
            }
            return all;
        }

        void closeEndpoints() {
            clients.forEach(FiEndpoint::close);
            servers.forEach(FiEndpoint::close);
        }

        @Override
        public void close() {
            closeEndpoints();
            listener.close();
            shared.close();
            region.close();
            loopback.close();
        }
    }

    @Test
    void shouldShareExactlyAsManyCreditsAsArePosted() {
        try (TwoConnections two = new TwoConnections()) {
            two.post(0, 5);
            for (int i = 0; i < 8; i++) {
                two.send(i % 2, i);
            }
            List<Arrival> first = two.arrivals(5);
            assertThat(first).extracting(Arrival::context).containsExactlyInAnyOrder(0L, 1L, 2L, 3L, 4L);

            two.post(5, 2);
            List<Arrival> second = two.arrivals(2);
            assertThat(second).extracting(Arrival::context).containsExactlyInAnyOrder(5L, 6L);

            two.post(7, 1);
            List<Arrival> all = new ArrayList<>(first);
            all.addAll(second);
            all.addAll(two.arrivals(1));
            assertThat(all).extracting(Arrival::value).containsExactlyInAnyOrder(0, 1, 2, 3, 4, 5, 6, 7);
            assertThat(all).extracting(Arrival::value).filteredOn(value -> value % 2 == 0).isSorted();
            assertThat(all).extracting(Arrival::value).filteredOn(value -> value % 2 == 1).isSorted();
        }
    }

    @Test
    void shouldServeTheOtherConnectionAfterOneIsClosed() {
        try (TwoConnections two = new TwoConnections()) {
            two.post(0, 2);
            two.servers.get(0).close();
            two.send(1, 1);
            two.send(1, 3);
            assertThat(two.arrivals(2)).extracting(Arrival::value).containsExactly(1, 3);
        }
    }

    @Test
    void shouldOutliveItsEndpointsOnly() {
        try (TwoConnections two = new TwoConnections()) {
            two.post(0, 3);
            assertThatThrownBy(two.shared::close)
                    .isInstanceOfSatisfying(FabricException.class, e -> assertThat(e.code()).isEqualTo(Fi.FI_EBUSY))
                    .hasMessageContaining("2 endpoints bound");
            assertThat(two.shared.isClosed()).isFalse();
            two.closeEndpoints();
            assertThatThrownBy(two.loopback.domain::close)
                    .isInstanceOfSatisfying(FabricException.class, e -> assertThat(e.code()).isEqualTo(Fi.FI_EBUSY))
                    .hasMessageContaining("1 shared receive contexts");
            two.shared.close();
            two.shared.close();
            assertThatThrownBy(() -> two.shared.recv(two.at(0), 1, 0, 0)).isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("closed");
        }
    }

    @Test
    void shouldExplainWhatDoesNotFitTogether() {
        try (TwoConnections two = new TwoConnections(); Loopback other = new Loopback();
                FiInfo own = two.loopback.destination(two.where);
                FiInfo sharing = two.loopback.destination(two.where).sharedReceiveContext();
                FiEndpoint ordinary = two.loopback.domain.openEndpoint(own);
                FiEndpoint unbound = two.loopback.domain.openEndpoint(sharing);
                FiSharedReceive foreign = other.domain.openSharedReceiveContext(other.info)) {
            assertThat(own.isSharedReceiveContext()).isFalse();
            assertThat(sharing.isSharedReceiveContext()).isTrue();
            assertThatThrownBy(() -> ordinary.bind(two.shared)).isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("sharedReceiveContext()");
            assertThatThrownBy(() -> unbound.bind(foreign)).isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("another domain");
            assertThatThrownBy(unbound::enable).isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("bind a FiSharedReceive");
            assertThatThrownBy(() -> two.servers.get(0).bind(two.shared)).isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("already");
            assertThatThrownBy(() -> two.servers.get(0).recv(two.at(0), 1, 0, 0)).isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("post them there");
        }
    }
}
