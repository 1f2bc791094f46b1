// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport;

import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Where there is an RDMA device: {@code ./netio test --rdma}. */
@EnabledIfSystemProperty(named = "netio.test.provider", matches = "verbs")
class LibfabricVerbsTransferTest extends TransferContract {
    LibfabricVerbsTransferTest() {
        super(BackendType.LIBFABRIC, "verbs", true);
    }
}
