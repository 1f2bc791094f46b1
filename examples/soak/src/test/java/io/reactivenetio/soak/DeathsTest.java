// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.soak;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.testing.AtFullScale;
import io.reactivenetio.transport.BackendType;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The smallest campaign of processes that die: it holds, and tells of each kind of death. */
@Timeout(180)
@AtFullScale
class DeathsTest {
    private static final String KILLED = "killed";

    @Test
    void shouldHoldWhenProcessesDie() throws Exception {
        List<Finding> findings = new ArrayList<>();
        try (Ground ground = new Ground(new Deaths(), 0.1, 1, findings::add)) {
            Deaths.run(ground, BackendType.TCP);
        }

        assertThat(findings).hasSize(6);
        assertThat(findings).filteredOn(finding -> !finding.holds() && !finding.injected().contains(KILLED)).isEmpty();
        // not how soon: others use the machine
        assertThat(findings).filteredOn(finding -> finding.injected().contains("publishers killed")).hasSize(1)
                .allMatch(finding -> finding.seen().contains(" 4 runs; faults []"));
        assertThat(findings).filteredOn(finding -> finding.injected().contains("subscribers killed")).hasSize(1)
                .allMatch(finding -> finding.seen().contains("5 sources begun, 3 ended, 4 subscriptions left of 4"));
    }
}
