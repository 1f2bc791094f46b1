// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.tck;

import io.reactivenetio.Framing;
import io.reactivenetio.transport.BackendType;
import java.nio.ByteBuffer;

/** With the other end across the wire, over plain TCP. */
@SuppressWarnings("exports")
public class AsyncmsgStreamReceiveDecodedTckTest extends ReceiveVerification<Long> {

    public AsyncmsgStreamReceiveDecodedTckTest() {
        super(BackendType.ASYNCMSG, Framing.STREAM, connection -> connection.receive(ByteBuffer::getLong));
    }
}
