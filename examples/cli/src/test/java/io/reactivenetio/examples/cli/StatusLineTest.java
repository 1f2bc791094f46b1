// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class StatusLineTest {
    /** The last column stays free: some terminals go to the next line when something is there. */
    @Test
    void shouldHaveRoomInOneLineOfTheTerminal() {
        assertThat(StatusLine.cut("1,234 recorded  5 gaps", 80)).isEqualTo("1,234 recorded  5 gaps");
        assertThat(StatusLine.cut("x".repeat(79), 80)).hasSize(79);
        assertThat(StatusLine.cut("x".repeat(90), 80)).hasSize(79);
        assertThat(StatusLine.cut("x", 1)).isEmpty();
    }
}
