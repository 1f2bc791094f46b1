// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport;

class AsyncmsgContractTest extends BackendContract {
    AsyncmsgContractTest() {
        super(BackendType.ASYNCMSG, "unused");
    }
}
