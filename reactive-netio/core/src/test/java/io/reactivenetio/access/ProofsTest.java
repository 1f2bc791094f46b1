// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.access;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/** The proofs that docs/wire-vectors.txt has. */
class ProofsTest {
    private static byte[] filled(int bytes, int value) {
        byte[] array = new byte[bytes];
        Arrays.fill(array, (byte) value);
        return array;
    }

    @Test
    void shouldBeThoseOfTheWireDocument() throws IOException {
        byte[] secret = new byte[32];
        for (int i = 0; i < secret.length; i++) {
            secret[i] = (byte) i;
        }
        Proofs proofs = new Proofs(filled(48, 0), filled(48, 1), filled(32, 2), filled(32, 3), "reader");
        assertThat(Files.readString(Path.of("../../docs/wire-vectors.txt")))
                .contains(HexFormat.of().formatHex(proofs.of(Proofs.Side.CONNECTS, secret)) + "\n")
                .contains(HexFormat.of().formatHex(proofs.of(Proofs.Side.ACCEPTS, secret)) + "\n");
    }
}
