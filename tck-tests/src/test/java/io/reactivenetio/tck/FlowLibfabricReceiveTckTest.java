// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.tck;

import io.reactivenetio.NetioConnection;
import io.reactivenetio.transport.BackendType;
import java.nio.ByteBuffer;

/** Over libfabric. */
@SuppressWarnings("exports")
public class FlowLibfabricReceiveTckTest extends FlowReceiveVerification<ByteBuffer> {

    public FlowLibfabricReceiveTckTest() {
        super(BackendType.LIBFABRIC, NetioConnection::receive);
    }
}
