// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class LibfabricTcpContractTest extends BackendContract {
    LibfabricTcpContractTest() {
        super(BackendType.LIBFABRIC, "tcp");
    }

    @Test
    void shouldNameTheProvidersThereAre() {
        assertThatThrownBy(() -> NetworkBackend.create(BackendType.LIBFABRIC, config.withProvider("nosuch"), client.loop, client))
                .isInstanceOf(BackendUnavailableException.class).hasMessageContaining("'nosuch'").hasMessageContaining("tcp");
    }
}
