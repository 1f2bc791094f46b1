// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.tck;

import io.reactivenetio.transport.BackendType;
import java.nio.ByteBuffer;

/** Over libfabric. */
@SuppressWarnings("exports")
public class LibfabricFlowReceiveDecodedTckTest extends FlowReceiveVerification<Long> {

    public LibfabricFlowReceiveDecodedTckTest() {
        super(BackendType.LIBFABRIC, connection -> connection.receive(ByteBuffer::getLong));
    }
}
