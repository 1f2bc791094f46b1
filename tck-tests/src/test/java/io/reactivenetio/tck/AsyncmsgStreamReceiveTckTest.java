// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.tck;

import io.reactivenetio.Framing;
import io.reactivenetio.NetioConnection;
import io.reactivenetio.transport.BackendType;
import java.nio.ByteBuffer;

/** With the other end across the wire, over plain TCP. */
@SuppressWarnings("exports")
public class AsyncmsgStreamReceiveTckTest extends ReceiveVerification<ByteBuffer> {

    public AsyncmsgStreamReceiveTckTest() {
        super(BackendType.ASYNCMSG, Framing.STREAM, NetioConnection::receive);
    }
}
