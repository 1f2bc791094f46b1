// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.tck;

import io.reactivenetio.Framing;
import io.reactivenetio.transport.BackendType;
import java.nio.ByteBuffer;

/** Over plain TCP. */
@SuppressWarnings("exports")
public class AsyncmsgReceiveDecodedTckTest extends ReceiveVerification<Long> {

    public AsyncmsgReceiveDecodedTckTest() {
        super(BackendType.ASYNCMSG, Framing.RAW, connection -> connection.receive(ByteBuffer::getLong));
    }
}
