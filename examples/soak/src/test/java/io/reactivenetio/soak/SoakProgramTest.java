// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.soak;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import org.junit.jupiter.api.Test;

/** The command's options, and what it says. */
class SoakProgramTest {
    @Test
    void shouldRefuseWhatMakesNoSense() {
        assertThat(SoakProgram.run("--only", "no such campaign")).isEqualTo(2);
        assertThat(SoakProgram.run("--minutes", "0")).isEqualTo(2);
        assertThat(SoakProgram.run("--minutes", "NaN")).isEqualTo(2);
        assertThat(SoakProgram.run("--list")).isZero();
    }

    @Test
    void shouldSayWhichRoleThereIsNot() {
        assertThat(catchThrowable(() -> Campaigns.role("nobody")))
                .hasMessageContaining("there is no role nobody");
    }
}
