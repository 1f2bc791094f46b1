// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport;

class LibfabricTcpTransferTest extends TransferContract {
    LibfabricTcpTransferTest() {
        super(BackendType.LIBFABRIC, "tcp", true);
    }
}
