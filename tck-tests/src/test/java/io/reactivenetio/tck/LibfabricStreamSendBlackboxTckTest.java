// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.tck;

import io.reactivenetio.Framing;
import io.reactivenetio.transport.BackendType;

/** With the other end across the wire, over libfabric. */
@SuppressWarnings("exports")
public class LibfabricStreamSendBlackboxTckTest extends SendBlackboxVerification {

    public LibfabricStreamSendBlackboxTckTest() {
        super(BackendType.LIBFABRIC, Framing.STREAM);
    }
}
