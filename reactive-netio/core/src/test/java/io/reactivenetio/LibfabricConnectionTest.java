// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import static io.reactivenetio.testing.TestSettings.PATIENCE;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.exceptions.BackendUnavailableException;
import org.junit.jupiter.api.Test;

class LibfabricConnectionTest extends ConnectionTest {
    LibfabricConnectionTest() {
        super(BackendType.LIBFABRIC);
    }

    @Test
    void shouldNameTheProvidersThereAre() {
        assertThatThrownBy(() -> NetioServer.create().runOn(loops()).provider("nosuch").bindNow(PATIENCE))
                .isInstanceOf(BackendUnavailableException.class).hasMessageContaining("'nosuch'").hasMessageContaining("tcp");
    }
}
