// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.soak;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A small readout keeps what the large one has to keep, each time in the same way. */
@Timeout(120)
class ReadoutTest {
    private static List<Finding> run(long seed) {
        List<Finding> findings = new ArrayList<>();
        Readout readout = new Readout(4, 3, 60);
        try (Ground ground = new Ground(readout, 1, seed, findings::add)) {
            readout.run(ground);
        }
        return findings;
    }

    @Test
    void shouldAccountForEachFragment() {
        List<Finding> findings = run(1);

        assertThat(findings).hasSize(4).allMatch(Finding::holds);
        assertThat(findings.getFirst().seen()).contains(" 0 untold", "faults: none").doesNotContain(" 0 with servers that died");
    }

    @Test
    void shouldDoTheSameWithTheSameSeed() {
        assertThat(run(2).subList(1, 3)).isEqualTo(run(2).subList(1, 3));
    }
}
