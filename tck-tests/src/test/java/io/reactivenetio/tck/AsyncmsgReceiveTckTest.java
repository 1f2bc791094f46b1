// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.tck;

import io.reactivenetio.Framing;
import io.reactivenetio.NetioConnection;
import io.reactivenetio.transport.BackendType;
import java.nio.ByteBuffer;

/** Over plain TCP. */
@SuppressWarnings("exports")
public class AsyncmsgReceiveTckTest extends ReceiveVerification<ByteBuffer> {

    public AsyncmsgReceiveTckTest() {
        super(BackendType.ASYNCMSG, Framing.RAW, NetioConnection::receive);
    }
}
