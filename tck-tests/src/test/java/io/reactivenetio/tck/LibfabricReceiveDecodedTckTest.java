// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.tck;

import io.reactivenetio.Framing;
import io.reactivenetio.transport.BackendType;

/** Over libfabric, provider tcp. */
@SuppressWarnings("exports")
public class LibfabricReceiveDecodedTckTest extends ReceiveDecodedVerification {

    public LibfabricReceiveDecodedTckTest() {
        super(BackendType.LIBFABRIC, Framing.RAW);
    }
}
