// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.soak;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.testing.AtFullScale;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two kinds of lies for a second: good peers lose nothing. Their rate is left to the campaign. */
@Timeout(180)
@AtFullScale
class LiarsTest {
    @Test
    void shouldServeOthersBesideLiars() throws Exception {
        List<Finding> findings = new ArrayList<>();
        try (Ground ground = new Ground(new Liars(), 0.1, 1, findings::add)) {
            Liars.run(ground, Duration.ofSeconds(1), Lie.MALFORMED, Lie.TLS, Lie.SUBSCRIPTIONS);
        }

        assertThat(findings).hasSize(3).allMatch(finding -> finding.seen().contains("; 0 faults"))
                .noneMatch(finding -> finding.seen().contains("connections and"))
                .allMatch(finding -> finding.injected().matches("[1-9][0-9,]* .*"));
    }
}
