// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.bridge;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class BridgeProgramTest {
    @Test
    void shouldRefuseToRunWithoutACommand() {
        assertThat(BridgeProgram.run()).isEqualTo(2);
        assertThat(BridgeProgram.run("bridge")).isEqualTo(2);
    }
}
