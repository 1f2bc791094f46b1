// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.soak;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.testing.AtFullScale;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Servers that have little of something. How soon they recover is left to the campaign. */
@AtFullScale // ./netio soak does the same
@Timeout(180)
class LittleTest {
    private static final String SERVED = "^[1-9][0-9]* served, .*";

    private final List<Finding> findings = new ArrayList<>();

    @Test
    void shouldServeWithFewDescriptors() throws Exception {
        try (Ground ground = new Ground(new Little(), 0.1, 1, findings::add)) {
            Little.run(ground, LittleLimit.DESCRIPTORS);
        }

        assertThat(findings).hasSize(1).allMatch(finding -> finding.seen().matches(SERVED))
                .noneMatch(finding -> finding.seen().contains("it has ended"));
    }

    @Test
    void shouldGoOnAfterAnEncoderRanOutOfMemory() throws Exception {
        try (Ground ground = new Ground(new Little(), 0.1, 1, findings::add)) {
            Little.greedy(ground);
        }

        assertThat(findings).hasSize(2).allMatch(finding -> finding.seen().startsWith("10 subscriptions failed"));
    }
}
