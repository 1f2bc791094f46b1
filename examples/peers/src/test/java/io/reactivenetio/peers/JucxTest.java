// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.peers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactivenetio.benchmarks.Work;
import io.reactivenetio.benchmarks.Work.Mode;
import io.reactivenetio.benchmarks.Work.Waiting;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is said where UCX is missing, and the sizes whose messages go different ways in UCX. */
@Timeout(180)
class JucxTest {

    @Test
    void shouldSayWhatToInstall() {
        assertThat(Jucx.reason("Native code library failed to load: libjucx_amd64.so. /tmp/jucx1/libjucx_amd64.so: libucp.so.0:"
                + " cannot open shared object file: No such file or directory"))
                .isEqualTo("JUCX left out: libucp.so.0 not found: apt install libucx0");
        assertThat(Jucx.reason("libstdc++.so.6: cannot open shared object file"))
                .isEqualTo("JUCX left out: libstdc++.so.6 not found");
        assertThat(Jucx.reason("undefined symbol: ucp_x")).isEqualTo("JUCX left out: undefined symbol: ucp_x");
    }

    @ParameterizedTest
    @ValueSource(ints = {8, 4096, 61_440, 1 << 22})
    void shouldBringAllSizes(int size) throws Exception {
        assumeTrue(Jucx.missing() == null, Jucx::missing);
        Work work = new Work(Mode.STREAM, size, 64, Waiting.SLEEP, 20, 40, "tcp");
        PeersTest.Ends ends = PeersTest.run(new JucxPeer(), work);
        assertThat(ends.listened().total()).isPositive().isEqualTo(ends.connected().total());
    }
}
