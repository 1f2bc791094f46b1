// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.tck;

import io.reactivenetio.Framing;
import io.reactivenetio.transport.BackendType;

/** Over libfabric, provider tcp. */
@SuppressWarnings("exports")
public class LibfabricReceiveLeasedTckTest extends ReceiveLeasedVerification {

    public LibfabricReceiveLeasedTckTest() {
        super(BackendType.LIBFABRIC, Framing.RAW);
    }
}
