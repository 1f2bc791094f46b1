// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.tck;

import io.reactivenetio.Framing;
import io.reactivenetio.Lease;
import io.reactivenetio.NetioConnection;
import io.reactivenetio.transport.BackendType;
import java.lang.reflect.Method;
import org.testng.annotations.BeforeMethod;

/** {@code receiveLeased()} is a Publisher. Nobody gives a lease back: copies take over. */
@SuppressWarnings("exports")
abstract class ReceiveLeasedVerification extends ReceiveVerification<Lease> {

    ReceiveLeasedVerification(BackendType backend, Framing framing) {
        super(backend, framing, NetioConnection::receiveLeased);
    }

    /**
     * The TCK gives the collector 100 ms to report a subscriber as unreachable. What the tests before have lost, and is found
     * with it, is hundreds of leases, each with a Cleaner, a warning and, with checked buffers, an arena: they go first.
     */
    @BeforeMethod
    void collectLostLeases(Method test) throws InterruptedException {
        if (test.getName().startsWith("required_spec313")) {
            System.gc();
            Thread.sleep(TestSettings.collection());
        }
    }
}
