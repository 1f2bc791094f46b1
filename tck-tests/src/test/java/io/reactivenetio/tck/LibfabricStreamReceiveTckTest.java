// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.tck;

import io.reactivenetio.Framing;
import io.reactivenetio.NetioConnection;
import io.reactivenetio.transport.BackendType;
import java.nio.ByteBuffer;

/** With the other end across the wire, over libfabric. */
@SuppressWarnings("exports")
public class LibfabricStreamReceiveTckTest extends ReceiveVerification<ByteBuffer> {

    public LibfabricStreamReceiveTckTest() {
        super(BackendType.LIBFABRIC, Framing.STREAM, NetioConnection::receive);
    }
}
