// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.tck;

import io.reactivenetio.Framing;
import io.reactivenetio.transport.BackendType;

/** Many messages in a buffer, over libfabric. */
@SuppressWarnings("exports")
public class LibfabricPageSendWhiteboxTckTest extends SendWhiteboxVerification {

    public LibfabricPageSendWhiteboxTckTest() {
        super(BackendType.LIBFABRIC, Framing.PAGE);
    }
}
