// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.tck;

import io.reactivenetio.Framing;
import io.reactivenetio.NetioConnection;
import io.reactivenetio.transport.BackendType;
import java.nio.ByteBuffer;

/** Over libfabric, provider tcp. */
@SuppressWarnings("exports")
public class LibfabricReceiveTckTest extends ReceiveVerification<ByteBuffer> {

    public LibfabricReceiveTckTest() {
        super(BackendType.LIBFABRIC, Framing.RAW, NetioConnection::receive);
    }
}
