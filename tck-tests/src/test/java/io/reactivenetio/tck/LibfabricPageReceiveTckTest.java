// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.tck;

import io.reactivenetio.Framing;
import io.reactivenetio.transport.BackendType;

/** Many messages in a buffer, over libfabric. */
@SuppressWarnings("exports")
public class LibfabricPageReceiveTckTest extends ReceiveVerification {

    public LibfabricPageReceiveTckTest() {
        super(BackendType.LIBFABRIC, Framing.PAGE);
    }
}
