// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport;

import org.junit.jupiter.api.condition.EnabledIf;

/** Wherever there is the provider: libfabric 2 no longer has it. */
@EnabledIf("isThere")
class LibfabricSocketsContractTest extends BackendContract {
    LibfabricSocketsContractTest() {
        super(BackendType.LIBFABRIC, "sockets");
    }

    static boolean isThere() {
        return NetworkBackend.provider(BackendType.LIBFABRIC).interfaces().stream()
                .anyMatch(each -> each.provider().equals("sockets"));
    }
}
