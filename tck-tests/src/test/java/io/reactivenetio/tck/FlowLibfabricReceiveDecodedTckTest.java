// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.tck;

import io.reactivenetio.transport.BackendType;
import java.nio.ByteBuffer;

/** Over libfabric. */
@SuppressWarnings("exports")
public class FlowLibfabricReceiveDecodedTckTest extends FlowReceiveVerification<Long> {

    public FlowLibfabricReceiveDecodedTckTest() {
        super(BackendType.LIBFABRIC, connection -> connection.receive(ByteBuffer::getLong));
    }
}
