// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import io.reactivenetio.transport.BackendType;
import org.junit.jupiter.api.Test;

class AsyncmsgConnectionTest extends ConnectionTest {
    AsyncmsgConnectionTest() {
        super(BackendType.ASYNCMSG);
    }

    @Test
    void shouldIgnoreTheProvider() {
        NetioServer.create().runOn(loops()).backend(BackendType.ASYNCMSG).provider("nosuch").bindNow().dispose();
    }
}
