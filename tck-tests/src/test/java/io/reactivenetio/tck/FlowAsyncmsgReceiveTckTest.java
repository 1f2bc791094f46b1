// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.tck;

import io.reactivenetio.NetioConnection;
import io.reactivenetio.transport.BackendType;
import java.nio.ByteBuffer;

/** Over plain TCP. */
@SuppressWarnings("exports")
public class FlowAsyncmsgReceiveTckTest extends FlowReceiveVerification<ByteBuffer> {

    public FlowAsyncmsgReceiveTckTest() {
        super(BackendType.ASYNCMSG, NetioConnection::receive);
    }
}
