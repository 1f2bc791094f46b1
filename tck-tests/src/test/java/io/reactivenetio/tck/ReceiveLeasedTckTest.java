// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.tck;

import io.reactivenetio.api.Lease;
import io.reactivenetio.api.NetioConnection;
import org.testng.annotations.Factory;

/** Nobody gives a lease back: copies take over. */
@SuppressWarnings("exports")
public class ReceiveLeasedTckTest extends ReceiveVerification<Lease> {

    @Factory(dataProvider = "everyInTime", dataProviderClass = Variant.class)
    ReceiveLeasedTckTest(Variant variant) {
        super(variant, NetioConnection::receiveLeased);
    }
}
