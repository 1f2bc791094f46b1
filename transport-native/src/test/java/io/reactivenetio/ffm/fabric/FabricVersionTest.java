// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.ffm.fabric;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which versions of libfabric are refused, and which are called tested. */
class FabricVersionTest {
    /** As the library says it: fi_version has the first two numbers only. */
    private static FabricVersion version(String text) {
        String[] numbers = text.split("[^0-9]");
        return FabricVersion.of(Integer.parseInt(numbers[0]) << 16 | Integer.parseInt(numbers[1]), text);
    }

    @ParameterizedTest
    @ValueSource(strings = {"1.0.0", "1.9.1", "1.12.0", "1.14.1", "1.16.1", "0.99.0"})
    void shouldRefuseVersionsThatAreTooOld(String text) {
        assertThat(version(text).problem()).isEqualTo("is too old");
    }

    @ParameterizedTest
    @ValueSource(strings = {"1.18.0", "1.18.0rc1", "1.18.0-dirty"})
    void shouldRefuseTheVersionThatNeverSleeps(String text) {
        assertThat(version(text).problem()).isEqualTo("is broken: its tcp provider never sleeps again after the first message "
                + "(ofiwg/libfabric#8947)");
    }

    @ParameterizedTest
    @ValueSource(strings = {"1.17.0", "1.17.1", "1.18.1", "1.18.10", "1.22.0", "2.0.0", "2.1.0amzn3.0", "2.6.0",
        "3.0.0", "10.0.0"})
    void shouldTakeAllOthers(String text) {
        assertThat(version(text).problem()).isNull();
        assertThat(version(text)).hasToString(text);
    }

    @ParameterizedTest
    @FieldSource("io.reactivenetio.ffm.fabric.FabricVersion#TESTED")
    void shouldTakeWhatIsTested(String text) {
        assertThat(version(text).problem()).isNull();
        assertThat(version(text).isTested()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"1.17.1", "1.17.10", "2.6.0amzn1.0", "2.6.0-dirty", "99.0.0"})
    void shouldNotCallOthersTested(String text) {
        assertThat(version(text).isTested()).isFalse();
    }

    @ParameterizedTest
    @CsvSource({"1.17.3, 1, 17, 3", "1.15.2.0, 1, 15, 2", "2.3, 2, 3, -1", "2.1.0amzn3.0, 2, 1, 0"})
    void shouldReadTheNumbers(String text, int major, int minor, int patch) {
        assertThat(version(text)).isEqualTo(new FabricVersion(major, minor, patch, text));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "main", "2.6", "1.1.18.0", "1.180.0", "1.18\n", "\u0001"})
    void shouldGoByFiVersionWhenTheTextIsAboutSomethingElse(String text) {
        FabricVersion version = FabricVersion.of(1 << 16 | 18, text);

        assertThat(version).isEqualTo(new FabricVersion(1, 18, -1, "1.18"));
        assertThat(version.problem()).isNull();
        assertThat(version.isTested()).isFalse();
    }

    @Test
    void shouldNameThoseThatWork() {
        assertThat(FabricVersion.thoseThatWork()).startsWith("1.17 and later work, except 1.18.0 (tested: ")
                .contains("1.17.0").endsWith(")");
    }
}
