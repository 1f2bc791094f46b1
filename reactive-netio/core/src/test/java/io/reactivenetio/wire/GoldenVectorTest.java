// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The document and the code say the same. */
class GoldenVectorTest {

    static List<GoldenVector> vectors() {
        return GoldenVector.all();
    }

    static List<GoldenVector> writable() {
        return GoldenVector.all().stream().filter(GoldenVector::both).toList();
    }

    @Test
    void shouldFindVectorsOfEveryFormat() {
        assertThat(vectors()).hasSizeGreaterThan(18).extracting(GoldenVector::format)
                .contains("page", "stream", "stream+crc", "handshake", "request");
    }

    @ParameterizedTest
    @MethodSource("vectors")
    void shouldReadAsTheDocumentSays(GoldenVector vector) throws Exception {
        if (vector.refused()) {
            assertThatThrownBy(() -> WireText.read(vector.format(), vector.bytes())).isInstanceOf(ProtocolException.class);
        } else {
            assertThat(WireText.read(vector.format(), vector.bytes())).isEqualTo(vector.meaning());
        }
    }

    @ParameterizedTest
    @MethodSource("writable")
    void shouldWriteAsTheDocumentSays(GoldenVector vector) {
        assertThat(HexFormat.of().formatHex(WireText.write(vector.format(), vector.meaning())))
                .isEqualTo(HexFormat.of().formatHex(vector.bytes()));
    }
}
