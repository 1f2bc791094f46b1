// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.backend;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.testing.TestSettings;
import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.libfabric.QueueReads;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;

/**
 * A thousand connections over tcp, or a hundred in the ordinary run, whose messages nobody takes and whose peers have
 * more to send. A slower machine looks at them less often, never more.
 */
@Timeout(180)
@DisabledIfSystemProperty(named = "netio.test.provider", matches = "verbs",
        disabledReason = "tcp uses no RDMA device: ./netio test has run this")
class StarvedConnectionsTest {
    private static final int BATCH = 50;
    private static final int CONNECTIONS = BATCH * TestSettings.scaled(20);
    private static final ConnectionParameters ONE = new ConnectionParameters(64, 1, 64, 1);
    /** Each reads until it is idle, then rests for 1, 2, 4 and so on up to 1,024 ms. */
    private static final double READS_TO_STARVE = 40;
    private static final double READS_PER_SECOND = 1.1;

    private final BackendConfig config = BackendConfig.defaults().withExclusive(false).withConnectTimeout(Party.BOUND);
    private Party server;
    private Party client;
    private long began;

    @BeforeEach
    void connect() {
        server = new Party("server", BackendType.LIBFABRIC, config);
        client = new Party("client", BackendType.LIBFABRIC, config);
        server.onEstablished = peer -> peer.hold = true;
        ListenEndpoint listener = server.listen(ONE);
        began = System.nanoTime();
        for (int i = 0; i < CONNECTIONS; i += BATCH) {
            List<Peer> opened = new ArrayList<>();
            for (int j = 0; j < BATCH; j++) {
                opened.add(client.open(listener.localAddress(), ONE));
            }
            opened.forEach(peer -> peer.stream(1_000_000, 20));
            Party.await(() -> opened.stream().allMatch(peer -> peer.established == 1));
        }
        Party.await(() -> server.peers.size() == CONNECTIONS && server.peers.stream().allMatch(peer -> peer.received == 1));
    }

    @AfterEach
    void stop() {
        server.close();
        client.close();
    }

    private double seconds() {
        return (System.nanoTime() - began) / 1e9;
    }

    private long reads() {
        return server.onLoop(() -> QueueReads.of(server.backend));
    }

    @Test
    void shouldCostNextToNothing() {
        Party.sleep(3_000);
        assertThat((double) reads()).isLessThan(CONNECTIONS * (READS_TO_STARVE + READS_PER_SECOND * seconds()));
    }

    @Test
    void shouldCostOthersNothingThatOneOfThemIsServed() {
        Peer slow = server.peers.element();
        int messages = TestSettings.scaled(1_000);
        for (int i = 0; i < messages; i++) {
            long received = slow.received;
            server.run(() -> slow.release(1));
            Party.await(() -> slow.received > received);
        }
        double others = CONNECTIONS * (READS_TO_STARVE + READS_PER_SECOND * seconds());
        assertThat((double) reads()).isLessThan(others + messages * 10);
    }
}
