// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport;

import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * On request only, with {@code -Dnetio.test.sockets=true}: this provider, which libfabric 2 no longer has, binds a port twice,
 * waits for an answer where nobody listens, spends CPU on a thread of its own, and has been seen to abort the JVM (1.17).
 */
@EnabledIfSystemProperty(named = "netio.test.sockets", matches = "true")
class LibfabricSocketsContractTest extends BackendContract {
    LibfabricSocketsContractTest() {
        super(BackendType.LIBFABRIC, "sockets");
    }
}
