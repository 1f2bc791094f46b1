// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport;

class AsyncmsgTransferTest extends TransferContract {
    AsyncmsgTransferTest() {
        super(BackendType.ASYNCMSG, "unused", true);
    }
}
