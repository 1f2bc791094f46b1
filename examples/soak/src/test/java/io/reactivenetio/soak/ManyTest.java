// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.soak;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.testing.AtFullScale;
import io.reactivenetio.transport.BackendType;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The campaign of many connections with a few: all are served, and come back. How fast is left to the campaign. */
@Timeout(180)
@AtFullScale
class ManyTest {
    @Test
    void shouldServeAllAndHaveThemBack() throws Exception {
        List<Finding> findings = new ArrayList<>();
        try (Ground ground = new Ground(new Many(), 0.1, 1, findings::add)) {
            Many.run(ground, BackendType.TCP, 100, 1);
        }

        assertThat(findings).extracting(Finding::injected).containsExactly("100 connections opened, TCP",
                "100 connections idle, TCP", "the server of 100 connections killed, TCP", "1000 tags subscribed to, TCP",
                "1 % of tags busy, 10 tags, TCP", "all connections closed, TCP");
        assertThat(findings).noneMatch(finding -> finding.seen().contains("not within"));
        assertThat(findings.getLast().seen()).contains("; 0 faults of ").doesNotContain("-1 ms");
    }
}
