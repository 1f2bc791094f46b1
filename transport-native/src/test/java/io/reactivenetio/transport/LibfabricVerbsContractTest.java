// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.time.Duration;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Where there is an RDMA device: {@code ./netio test --rdma}. */
@EnabledIfSystemProperty(named = "netio.test.provider", matches = "verbs")
class LibfabricVerbsContractTest extends BackendContract {
    LibfabricVerbsContractTest() {
        super(BackendType.LIBFABRIC, "verbs");
    }

    /** A TCP port that does not answer is none to RDMA; an address that does not answer is. */
    @Test
    @Override
    void shouldGiveUpAConnectThatTakesTooLong() {
        Assumptions.assumeFalse(TestSettings.NOBODY.isEmpty(), "no such address is known");
        try (Party hasty = new Party("hasty", type, config.withConnectTimeout(Duration.ofMillis(200)))) {
            Peer peer = hasty.open(new InetSocketAddress(TestSettings.NOBODY, 4711), SMALL);
            Party.await(() -> peer.refused == 1);
            assertThat(peer.reason).isInstanceOf(NetioConnectException.class).hasMessageContaining("took longer than 200 ms");
        }
    }
}
