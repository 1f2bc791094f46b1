// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.wire;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PeerTextTest {

    @Test
    void shouldEscapeWhatForgesLinesOrControlsATerminal() {
        assertThat(PeerText.shown("gone\r\n2026-11-25 ERROR \033[31mfake\007"))
                .isEqualTo("gone\\u000d\\u000a2026-11-25 ERROR \\u001b[31mfake\\u0007");
        assertThat(PeerText.shown("\u009b31m \u007f \u2028 \u2029 \u202e \u2066 \ufeff \0"))
                .isEqualTo("\\u009b31m \\u007f \\u2028 \\u2029 \\u202e \\u2066 \\ufeff \\u0000");
    }

    @Test
    void shouldShowEverythingElseAsItIs() {
        String text = "Zähler läuft über, 溢出, \ud83d\ude00, a\\b, [x], \u00a0";
        assertThat(PeerText.shown(text)).isSameAs(text);
    }
}
