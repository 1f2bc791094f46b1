// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.tck;

import io.reactivenetio.Lease;
import io.reactivenetio.transport.BackendType;

/** Over libfabric. */
@SuppressWarnings("exports")
public class FlowLibfabricReceiveLeasedTckTest extends FlowReceiveVerification<Lease> {

    public FlowLibfabricReceiveLeasedTckTest() {
        super(BackendType.LIBFABRIC, connection -> connection.receiveLeased());
    }
}
