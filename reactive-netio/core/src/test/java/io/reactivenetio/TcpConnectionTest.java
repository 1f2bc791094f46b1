// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import io.reactivenetio.transport.BackendType;
import org.junit.jupiter.api.Test;

class TcpConnectionTest extends ConnectionTest {
    TcpConnectionTest() {
        super(BackendType.TCP);
    }

    @Test
    void shouldIgnoreTheProvider() {
        NetioServer.create().runOn(loops()).backend(BackendType.TCP).provider("nosuch").bindNow().dispose();
    }
}
