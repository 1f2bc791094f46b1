// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.tck;

import io.reactivenetio.transport.BackendType;
import java.nio.ByteBuffer;

/** Over plain TCP. */
@SuppressWarnings("exports")
public class AsyncmsgFlowReceiveDecodedTckTest extends FlowReceiveVerification<Long> {

    public AsyncmsgFlowReceiveDecodedTckTest() {
        super(BackendType.ASYNCMSG, connection -> connection.receive(ByteBuffer::getLong));
    }
}
