// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport;

import org.junit.jupiter.api.condition.EnabledIf;

/**
 * The provider "sockets" of libfabric 1 has no exact credits: it takes messages nobody has posted a receive for, 64 MiB of them
 * (1.17, prov/sockets/src/sock_progress.c:1367), acknowledges them (:1464), and while it holds any its thread does not sleep
 * (:2596).
 */
@EnabledIf("io.reactivenetio.transport.LibfabricSocketsContractTest#isThere")
class LibfabricSocketsTransferTest extends TransferContract {
    LibfabricSocketsTransferTest() {
        super(BackendType.LIBFABRIC, "sockets", false);
    }
}
