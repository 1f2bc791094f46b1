// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.tck;

import io.reactivenetio.Framing;
import io.reactivenetio.transport.BackendType;

/** With the other end across the wire, over plain TCP. */
@SuppressWarnings("exports")
public class AsyncmsgStreamSendBlackboxTckTest extends SendBlackboxVerification {

    public AsyncmsgStreamSendBlackboxTckTest() {
        super(BackendType.ASYNCMSG, Framing.STREAM);
    }
}
