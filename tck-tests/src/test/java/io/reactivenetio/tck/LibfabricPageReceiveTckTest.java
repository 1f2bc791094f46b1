// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.tck;

import io.reactivenetio.Framing;
import io.reactivenetio.NetioConnection;
import io.reactivenetio.transport.BackendType;
import java.nio.ByteBuffer;

/** Many messages in a buffer, over libfabric. */
@SuppressWarnings("exports")
public class LibfabricPageReceiveTckTest extends ReceiveVerification<ByteBuffer> {

    public LibfabricPageReceiveTckTest() {
        super(BackendType.LIBFABRIC, Framing.PAGE, NetioConnection::receive);
    }
}
