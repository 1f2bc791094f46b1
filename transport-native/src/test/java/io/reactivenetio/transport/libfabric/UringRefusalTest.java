// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.libfabric;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivenetio.transport.exceptions.NotSupportedException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

/** FI_TCP_IO_URING, with which connections would stand still. */
class UringRefusalTest {

    @ParameterizedTest
    @ValueSource(strings = {"1", "yes", "TRUE", "on"})
    void shouldRefuseProviderTcpWithUring(String setting) {
        assertThatThrownBy(() -> LibfabricProvider.refuseUring("tcp", setting)).isInstanceOf(NotSupportedException.class)
                .hasMessageContaining("FI_TCP_IO_URING=" + setting).hasMessageContaining("Unset it");
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = {"", "0", "no", "False", "off"})
    void shouldTakeProviderTcpWithoutUring(String setting) {
        assertThatCode(() -> LibfabricProvider.refuseUring("tcp", setting)).doesNotThrowAnyException();
    }

    @Test
    void shouldNotMindUringWithOtherProviders() {
        assertThatCode(() -> LibfabricProvider.refuseUring("verbs", "1")).doesNotThrowAnyException();
    }
}
