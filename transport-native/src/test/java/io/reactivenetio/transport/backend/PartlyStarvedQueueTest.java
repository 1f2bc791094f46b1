// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.backend;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.libfabric.QueueReads;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;

/** Connections over tcp that share a completion queue, where data waits for one of them that has no receive posted. */
@Timeout(60)
@DisabledIfSystemProperty(named = "netio.test.provider", matches = "verbs",
        disabledReason = "there each connection has a queue of its own")
class PartlyStarvedQueueTest {
    private static final ConnectionParameters ONE = new ConnectionParameters(64, 1, 64, 1);
    private static final int MESSAGES = 21;

    @Test
    void shouldServeTheOthersAtOnceAndCostNothing() {
        BackendConfig config = BackendConfig.defaults().withExclusive(false);
        try (Party server = new Party("server", BackendType.LIBFABRIC, config);
                Party client = new Party("client", BackendType.LIBFABRIC, config)) {
            ListenEndpoint listener = server.listen(ONE);
            Party.Pair starved = client.connect(server, listener, ONE);
            Party.Pair served = client.connect(server, listener, ONE);
            server.run(() -> starved.accepted().hold = true);
            starved.opened().stream(200, 20);
            Party.await(() -> starved.accepted().received == 1);
            Party.sleep(500);
            List<Long> nanos = new ArrayList<>();
            for (int i = 1; i <= MESSAGES; i++) {
                int expected = i;
                Party.sleep(100); // a rest would have become long meanwhile
                long began = System.nanoTime();
                served.opened().stream(1, 20);
                while (served.accepted().received < expected) {
                    Thread.onSpinWait();
                }
                nanos.add(System.nanoTime() - began);
            }
            assertThat(nanos.stream().sorted().toList().get(MESSAGES / 2)).isLessThan(20_000_000);
            long reads = server.onLoop(() -> QueueReads.of(server.backend));
            Party.sleep(2_000);
            assertThat(server.onLoop(() -> QueueReads.of(server.backend)) - reads).isLessThan(100);
            server.run(() -> {
                starved.accepted().hold = false;
                starved.accepted().release(1);
            });
            Party.await(() -> starved.accepted().received == 200);
        }
    }
}
