// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.tck;

import io.reactivenetio.Framing;
import io.reactivenetio.transport.BackendType;
import java.nio.ByteBuffer;

/** Many messages in a buffer, over libfabric. */
@SuppressWarnings("exports")
public class LibfabricPageReceiveDecodedTckTest extends ReceiveVerification<Long> {

    public LibfabricPageReceiveDecodedTckTest() {
        super(BackendType.LIBFABRIC, Framing.PAGE, connection -> connection.receive(ByteBuffer::getLong));
    }
}
