// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.tck;

import io.reactivenetio.Framing;
import io.reactivenetio.transport.BackendType;
import java.nio.ByteBuffer;

/** Many messages in a buffer, over plain TCP. */
@SuppressWarnings("exports")
public class AsyncmsgPageReceiveDecodedTckTest extends ReceiveVerification<Long> {

    public AsyncmsgPageReceiveDecodedTckTest() {
        super(BackendType.ASYNCMSG, Framing.PAGE, connection -> connection.receive(ByteBuffer::getLong));
    }
}
