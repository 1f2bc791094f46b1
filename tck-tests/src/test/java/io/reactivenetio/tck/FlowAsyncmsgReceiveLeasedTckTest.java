// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.tck;

import io.reactivenetio.Lease;
import io.reactivenetio.transport.BackendType;

/** Over plain TCP. */
@SuppressWarnings("exports")
public class FlowAsyncmsgReceiveLeasedTckTest extends FlowReceiveVerification<Lease> {

    public FlowAsyncmsgReceiveLeasedTckTest() {
        super(BackendType.ASYNCMSG, connection -> connection.receiveLeased());
    }
}
