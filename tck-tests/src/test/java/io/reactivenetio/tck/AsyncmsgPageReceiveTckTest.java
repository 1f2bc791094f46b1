// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.tck;

import io.reactivenetio.Framing;
import io.reactivenetio.NetioConnection;
import io.reactivenetio.transport.BackendType;
import java.nio.ByteBuffer;

/** Many messages in a buffer, over plain TCP. */
@SuppressWarnings("exports")
public class AsyncmsgPageReceiveTckTest extends ReceiveVerification<ByteBuffer> {

    public AsyncmsgPageReceiveTckTest() {
        super(BackendType.ASYNCMSG, Framing.PAGE, NetioConnection::receive);
    }
}
