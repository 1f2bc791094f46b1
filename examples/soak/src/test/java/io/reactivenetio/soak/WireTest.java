// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.soak;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.transport.BackendType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** One round of some faults of the wire: each is met, and the connections come out of it as they must. */
@Timeout(120)
class WireTest {
    @ParameterizedTest
    @EnumSource(value = WireFault.class, names = {"ONE_BYTE", "REORDER", "RESET", "CORRUPT", "CORRUPT_UNSEEN"})
    void shouldHoldOnABadWire(WireFault fault) throws Exception {
        List<Finding> findings = new ArrayList<>();
        Wire.warmUp();
        try (Ground ground = new Ground(new Wire(), 0.1, 1, findings::add)) {
            Wire.run(ground, fault, BackendType.TCP, Duration.ZERO);
        }

        assertThat(findings).hasSize(1);
        Finding finding = findings.getFirst();
        assertThat(finding.seen()).startsWith("8 opened").doesNotContain("not over after");
        if (fault == WireFault.CORRUPT_UNSEEN) { // the proxy does what it says
            assertThat(finding.seen()).containsPattern(" [1-9][0-9,]* of them changed").contains("; 0 faults");
        } else if (fault.completes()) {
            assertThat(finding.seen()).contains(" 8 complete", "; 0 faults");
        } else {
            assertThat(finding.seen()).doesNotContain(" 8 complete").contains("; 0 faults");
        }
    }
}
