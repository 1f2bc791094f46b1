// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.soak;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.testing.AtFullScale;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The smallest campaign of mixed traffic: it finds nothing, unless something is planted. */
@Timeout(180)
class TrafficTest {
    private static List<Finding> run(@Nullable Plant plant, int oneIn) throws Exception {
        List<Finding> findings = new ArrayList<>();
        Traffic traffic = new Traffic();
        try (Ground ground = new Ground(traffic, 0.2, 1, findings::add, plant, oneIn)) {
            traffic.run(ground);
        }
        return findings;
    }

    private static Finding row(List<Finding> findings, String injected) {
        return findings.stream().filter(finding -> finding.injected().contains(injected)).findFirst().orElseThrow();
    }

    @AtFullScale
    @Test
    void shouldFindNothingWhereNothingIsPlanted() throws Exception {
        List<Finding> findings = run(null, 1);

        assertThat(row(findings, "mixed traffic").seen()).endsWith("; 0 faults"); // not how many: others use the machine
        assertThat(row(findings, "leases").holds()).isTrue();
        assertThat(row(findings, "what the server holds").seen()).contains("heap MiB"); // not whether: it begins meanwhile
    }

    @AtFullScale
    @Test
    void shouldFindALostMessage() throws Exception {
        Finding row = row(run(Plant.LOSS, 1_000), "mixed traffic");

        assertThat(row.holds()).isFalse();
        assertThat(row.seen()).contains("was next");
    }

    @AtFullScale
    @Test
    void shouldFindALeaseThatIsKept() throws Exception {
        assertThat(row(run(Plant.LEAK, 100), "leases").holds()).isFalse();
    }
}
