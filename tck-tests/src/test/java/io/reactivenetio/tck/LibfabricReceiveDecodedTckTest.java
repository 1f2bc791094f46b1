// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.tck;

import io.reactivenetio.Framing;
import io.reactivenetio.transport.BackendType;
import java.nio.ByteBuffer;

/** Over libfabric, provider tcp. */
@SuppressWarnings("exports")
public class LibfabricReceiveDecodedTckTest extends ReceiveVerification<Long> {

    public LibfabricReceiveDecodedTckTest() {
        super(BackendType.LIBFABRIC, Framing.RAW, connection -> connection.receive(ByteBuffer::getLong));
    }
}
