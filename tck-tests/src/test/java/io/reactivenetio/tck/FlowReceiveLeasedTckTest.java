// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.tck;

import io.reactivenetio.api.Lease;
import io.reactivenetio.api.NetioConnection;
import org.testng.annotations.Factory;

/** Nobody gives a lease back: copies take over. */
@SuppressWarnings("exports")
public class FlowReceiveLeasedTckTest extends FlowReceiveVerification<Lease> {

    @Factory(dataProvider = "everyBackend", dataProviderClass = Variant.class)
    FlowReceiveLeasedTckTest(Variant variant) {
        super(variant, NetioConnection::receiveLeased);
    }
}
