// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.tck;

import io.reactivenetio.NetioConnection;
import io.reactivenetio.transport.BackendType;
import java.nio.ByteBuffer;

/** Over plain TCP. */
@SuppressWarnings("exports")
public class AsyncmsgFlowReceiveTckTest extends FlowReceiveVerification<ByteBuffer> {

    public AsyncmsgFlowReceiveTckTest() {
        super(BackendType.ASYNCMSG, NetioConnection::receive);
    }
}
