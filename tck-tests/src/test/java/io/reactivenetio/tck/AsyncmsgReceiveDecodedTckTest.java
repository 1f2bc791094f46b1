// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.tck;

import io.reactivenetio.Framing;
import io.reactivenetio.transport.BackendType;

/** Over plain TCP. */
@SuppressWarnings("exports")
public class AsyncmsgReceiveDecodedTckTest extends ReceiveDecodedVerification {

    public AsyncmsgReceiveDecodedTckTest() {
        super(BackendType.ASYNCMSG, Framing.RAW);
    }
}
