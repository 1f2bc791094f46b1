// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport;

import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * On request only: the progress thread of this provider, which libfabric 2 no longer has, follows a dangling pointer now and
 * then when a connection closes while data is on its way (1.17), and takes the JVM with it.
 */
@EnabledIfSystemProperty(named = "netio.test.sockets", matches = "true")
class LibfabricSocketsTransferTest extends TransferContract {
    LibfabricSocketsTransferTest() {
        super(BackendType.LIBFABRIC, "sockets", false);
    }
}
