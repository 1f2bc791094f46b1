// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.tck;

import io.reactivenetio.Framing;
import io.reactivenetio.transport.BackendType;
import java.nio.ByteBuffer;

/** With the other end across the wire, over libfabric. */
@SuppressWarnings("exports")
public class LibfabricStreamReceiveDecodedTckTest extends ReceiveVerification<Long> {

    public LibfabricStreamReceiveDecodedTckTest() {
        super(BackendType.LIBFABRIC, Framing.STREAM, connection -> connection.receive(ByteBuffer::getLong));
    }
}
