// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.tck;

import io.reactivenetio.Framing;
import io.reactivenetio.transport.BackendType;

/** Many messages in a buffer, over plain TCP. */
@SuppressWarnings("exports")
public class AsyncmsgPageSendBlackboxTckTest extends SendBlackboxVerification {

    public AsyncmsgPageSendBlackboxTckTest() {
        super(BackendType.ASYNCMSG, Framing.PAGE);
    }
}
