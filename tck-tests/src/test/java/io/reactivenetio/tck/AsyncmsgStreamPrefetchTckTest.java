// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.tck;

import io.reactivenetio.Framing;
import io.reactivenetio.NetioConnection;
import io.reactivenetio.transport.BackendType;
import java.nio.ByteBuffer;

/** A stream that asks its peer ahead of its subscriber, who must not notice. */
@SuppressWarnings("exports")
public class AsyncmsgStreamPrefetchTckTest extends ReceiveVerification<ByteBuffer> {

    public AsyncmsgStreamPrefetchTckTest() {
        super(new Loopback(BackendType.ASYNCMSG, Framing.STREAM, 8), NetioConnection::receive);
    }
}
