// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.tck;

import io.reactivenetio.transport.BackendType;
import java.nio.ByteBuffer;

/** Over plain TCP. */
@SuppressWarnings("exports")
public class FlowAsyncmsgReceiveDecodedTckTest extends FlowReceiveVerification<Long> {

    public FlowAsyncmsgReceiveDecodedTckTest() {
        super(BackendType.ASYNCMSG, connection -> connection.receive(ByteBuffer::getLong));
    }
}
